/** As many events as the worker can deliver, to few and to many endpoints. */
import { cpuSeconds, peakMb } from '../support/process-usage.ts';
import { type Cell, printTable, round } from '../support/table.ts';
import { addEndpoints, createPublisher, untilDelivered } from '../support/webhook-load.ts';
import { type DeliveryBench, statsOf } from './delivery-bench.ts';

const EVENTS = 30_000;
const WARM_UP_EVENTS = 3_000;
const UNDER_WAY = 400;
const ENDPOINTS = [1, 10, 200];

export async function benchSaturated(bench: DeliveryBench): Promise<void> {
  const rows: Cell[][] = [];
  for (const endpoints of ENDPOINTS) rows.push(await measure(bench, endpoints));
  printTable(
    'Saturated, 1 kB events, everything on this machine',
    [
      'endpoints',
      'deliveries',
      'published s',
      'delivered s',
      'deliveries/s',
      'worker CPU s per 1,000',
      'worker peak MB',
      'API peak MB',
      'Postgres MB',
      'Temporal MB',
    ],
    rows,
  );
}

async function measure({ stack, sinkUrl }: DeliveryBench, endpoints: number): Promise<Cell[]> {
  const workerPid = stack.worker.pid as number;
  const ids = await addEndpoints(stack.sql, endpoints, `${sinkUrl}/hook`);
  const { publish } = createPublisher(stack.sql);
  for (let sent = 0; sent < WARM_UP_EVENTS; sent += ids.length) await Promise.all(ids.map(publish));
  await untilDelivered(stack.sql);
  await statsOf(sinkUrl);
  const cpuBefore = cpuSeconds(workerPid);
  const startedAt = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: UNDER_WAY }, async () => {
      while (next < EVENTS) await publish(ids[next++ % ids.length] as string);
    }),
  );
  const publishedMs = performance.now() - startedAt;
  await untilDelivered(stack.sql);
  const seconds = (performance.now() - startedAt) / 1000;
  const { count } = await statsOf(sinkUrl);
  const cpu = cpuSeconds(workerPid) - cpuBefore;
  const { postgres, temporal } = stack.serversMb();
  return [
    endpoints,
    count,
    round(publishedMs / 1000),
    round(seconds),
    Math.round(count / seconds),
    round((cpu / count) * 1000, 2),
    peakMb(workerPid),
    stack.apiPeakMb(),
    postgres,
    temporal,
  ];
}
