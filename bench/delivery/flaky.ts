/** Receivers that fail one request in five, regularly or at random: due deliveries must never pile up. */
import { query } from '../../src/db/query.ts';
import { countHistoryEvents } from '../support/history-events.ts';
import type { BenchStack } from '../support/stack.ts';
import { type Cell, printTable } from '../support/table.ts';
import { addEndpoints, createPublisher } from '../support/webhook-load.ts';
import { type DeliveryBench, publishAt } from './delivery-bench.ts';

const FLAKY = { perSecond: 25, seconds: Number(process.env.FLAKY_SECONDS ?? 600) };
const SAMPLE_MS = 250;

export async function benchFlaky(bench: DeliveryBench): Promise<void> {
  const organizations: Array<{ name: string; id: string }> = [];
  for (const name of ['each-fifth', 'random']) {
    const [id = ''] = await addEndpoints(bench.stack.sql, 1, `${bench.sinkUrl}/${name}`);
    organizations.push({ name, id });
  }
  printTable(
    `Receivers that fail one request in five, ${FLAKY.perSecond} events/s each for ${FLAKY.seconds} s`,
    [
      'fails',
      'delivered',
      'openings',
      'due at most',
      'due at the end',
      'wait for a retry',
      'history events of both',
    ],
    await measure(bench, organizations),
  );
}

interface Sample {
  breaker: string;
  /** Number of deliveries that are due. */
  due: number;
  /** Number of deliveries that wait for their own retry. */
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

/** Counts, until the signal, how often the breaker opened, and the maximum of due deliveries. */
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

/** Each organization has one endpoint. Returns a row for each, in their order. */
async function measure(
  { stack }: DeliveryBench,
  organizations: Array<{ name: string; id: string }>,
): Promise<Cell[][]> {
  const over = new AbortController();
  const ids = organizations.map(({ id }) => id);
  const watched = ids.map((id) => watch(stack, id, over.signal));
  const rate = { perSecond: FLAKY.perSecond * ids.length, seconds: FLAKY.seconds };
  await publishAt(createPublisher(stack.sql), rate, ids);
  const ends = await Promise.all(ids.map((id) => sample(stack, id)));
  over.abort();
  const events = await countHistoryEvents(stack.temporalAddress);
  const seen = await Promise.all(watched);
  return organizations.map(({ name }, index) => {
    const { openings = 0, dueMost = 0 } = seen[index] ?? {};
    const { due = 0, retrying = 0, delivered = 0 } = ends[index] ?? {};
    return [name, delivered, openings, dueMost, due, retrying, events];
  });
}
