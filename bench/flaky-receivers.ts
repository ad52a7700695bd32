/** Receivers that fail one request in five, regularly or at random: what is due never piles up. */
import { query } from '../src/db/query.ts';
import { connectTemporal } from '../src/temporal/connection.ts';
import type { BenchStack } from './support/stack.ts';

export const FLAKY = { perSecond: 25, seconds: Number(process.env.FLAKY_SECONDS ?? 600) };
const SAMPLE_MS = 250;

interface Sample {
  breaker: string;
  /** Waits for nothing but to be sent. */
  due: number;
  /** Waits for its own retry. */
  retrying: number;
  delivered: number;
}

async function sample(stack: BenchStack, organizationId: string): Promise<Sample> {
  const [row] = await query<Sample>(
    stack.sql,
    `select ep.breaker,
       count(*) filter (where d.state in ('pending', 'sending') or d.state = 'retrying' and d.next_attempt_at <= now())
         as due,
       count(*) filter (where d.state = 'retrying' and d.next_attempt_at > now()) as retrying,
       count(*) filter (where d.state = 'delivered') as delivered
     from endpoints ep left join deliveries d on d.organization_id = ep.organization_id and d.endpoint_id = ep.id
     where ep.organization_id = ? group by ep.organization_id, ep.id`,
    [organizationId],
  );
  return row as Sample;
}

/** Until the signal: how often the breaker opened, and how much was due at most. */
async function watch(stack: BenchStack, organizationId: string, over: AbortSignal) {
  let [openings, dueMost, before] = [0, 0, 'closed'];
  while (!over.aborted) {
    const { breaker, due } = await sample(stack, organizationId);
    if (breaker === 'open' && before !== 'open') openings++;
    before = breaker;
    dueMost = Math.max(dueMost, due);
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
  }
  return { openings, dueMost };
}

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

/** The organizations have one endpoint each. A row for each, in their order. */
export async function measureFlaky(
  stack: BenchStack,
  organizations: Array<{ name: string; id: string }>,
  publishAll: () => Promise<void>,
): Promise<Array<Array<string | number>>> {
  const over = new AbortController();
  const watched = organizations.map(({ id }) => watch(stack, id, over.signal));
  await publishAll();
  const ends = await Promise.all(organizations.map(({ id }) => sample(stack, id)));
  over.abort();
  const events = await countHistoryEvents(stack.temporalAddress);
  const seen = await Promise.all(watched);
  return organizations.map(({ name }, index) => {
    const { openings = 0, dueMost = 0 } = seen[index] ?? {};
    const { due = 0, retrying = 0, delivered = 0 } = ends[index] ?? {};
    return [name, delivered, openings, dueMost, due, retrying, events];
  });
}
