import { connectTemporal } from '../../src/temporal/connection.ts';

/** Total over all runs of workflows. */
export async function countHistoryEvents(temporalAddress: string): Promise<number> {
  const { client, close } = connectTemporal({
    options: { address: temporalAddress },
    namespace: 'default',
  });
  let events = 0;
  // The list contains the length of a history only after its run has ended.
  for await (const { workflowId, runId } of client.workflow.list())
    events += (await client.workflow.getHandle(workflowId, runId).describe()).historyLength;
  await close();
  return events;
}
