import { connectTemporal } from '../../src/temporal/connection.ts';

/** Of all runs of workflows. */
export async function countHistoryEvents(temporalAddress: string): Promise<number> {
  const { client, close } = connectTemporal({
    options: { address: temporalAddress },
    namespace: 'default',
  });
  let events = 0;
  // The list knows the length of a history only when its run has ended.
  for await (const { workflowId, runId } of client.workflow.list())
    events += (await client.workflow.getHandle(workflowId, runId).describe()).historyLength;
  await close();
  return events;
}
