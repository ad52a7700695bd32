import { connectTemporal } from '../../src/temporal/connection.ts';

/** Returns one length for each run whose workflow id begins with the prefix, and by default for every run. */
export async function readHistoryLengths(temporalAddress: string, idPrefix = ''): Promise<number[]> {
  const { client, close } = connectTemporal({
    options: { address: temporalAddress },
    namespace: 'default',
  });
  const lengths: number[] = [];
  // The list contains the length of a history only after its run has ended.
  for await (const { workflowId, runId } of client.workflow.list()) {
    if (!workflowId.startsWith(idPrefix)) continue;
    lengths.push((await client.workflow.getHandle(workflowId, runId).describe()).historyLength);
  }
  await close();
  return lengths;
}

export async function countHistoryEvents(temporalAddress: string): Promise<number> {
  return (await readHistoryLengths(temporalAddress)).reduce((sum, each) => sum + each, 0);
}
