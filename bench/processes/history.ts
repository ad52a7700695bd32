/** The cost of deliveries in Temporal: history events per 1,000 of them, by the share of failing attempts. */
import { setTimeout as delay } from 'node:timers/promises';
import { countHistoryEvents } from '../support/history-events.ts';
import { printTable } from '../support/table.ts';
import { addEndpoints, createPublisher } from '../support/webhook-load.ts';
import type { ProcessBench } from './process-bench.ts';

const EVENTS = 1_000;
const PER_SECOND = 25;
/** The first retries come after five seconds; later ones are minutes away. */
const RETRIES_MS = 20_000;
const SHARES = [
  { name: '0 %', path: '/hook', bar: 0 },
  { name: '1 %', path: '/each-hundredth', bar: 50 },
  { name: '20 %', path: '/each-fifth', bar: 300 },
];

export async function benchHistory(bench: ProcessBench): Promise<void> {
  await bench.runOnly('worker-1', 'worker-2');
  const rows = [];
  for (const { name, path, bar } of SHARES) {
    const before = await countHistoryEvents(bench.temporalAddress);
    await publishSteadily(bench, path);
    await delay(RETRIES_MS);
    rows.push([name, EVENTS, (await countHistoryEvents(bench.temporalAddress)) - before, bar]);
  }
  printTable(
    `History events of Temporal, one endpoint, ${PER_SECOND} events/s, two workers`,
    ['attempts that fail', 'deliveries', 'history events', 'bar'],
    rows,
  );
}

async function publishSteadily({ sql, sinkUrl }: ProcessBench, path: string): Promise<void> {
  const [id = ''] = await addEndpoints(sql, 1, `${sinkUrl}${path}`);
  const { publish } = createPublisher(sql);
  const publishing: Array<Promise<void>> = [];
  const startedAt = performance.now();
  for (let index = 0; index < EVENTS; index++) {
    const dueInMs = startedAt + (index * 1000) / PER_SECOND - performance.now();
    if (dueInMs > 0) await delay(dueInMs);
    publishing.push(publish(id));
  }
  await Promise.all(publishing);
}
