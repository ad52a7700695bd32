/** A receiver goes away and comes back, with its whole backlog, while another one is served. */
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../dev/embedded/free-port.ts';
import { query } from '../../src/db/query.ts';
import type { BenchStack } from '../support/stack.ts';
import { type Cell, printTable, round } from '../support/table.ts';
import { addEndpoints, createPublisher, untilDelivered } from '../support/webhook-load.ts';
import { type DeliveryBench, statsOf } from './delivery-bench.ts';

const PER_SECOND = 200;
const SECONDS = 60;
const BEFORE_MS = 2_000;

export async function benchOutage({ stack }: DeliveryBench): Promise<void> {
  printTable(
    `A receiver is away for ${SECONDS} s at ${PER_SECOND} events/s; another one is not`,
    ['outage s', 'backlog', 'drained after s', 'busiest second', 'other p50 ms', 'other p95 ms'],
    [await measure(stack)],
  );
}

async function measure(stack: BenchStack): Promise<Cell[]> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const healthyPort = await freePort();
  const healthyUrl = `http://127.0.0.1:${healthyPort}`;
  const sink = await stack.runServer('bench/sink.ts', port);
  await stack.runServer('bench/sink.ts', healthyPort);
  const stopPublishing = publishToBoth(stack, [
    ...(await addEndpoints(stack.sql, 1, `${url}/hook`)),
    ...(await addEndpoints(stack.sql, 1, `${healthyUrl}/hook`)),
  ]);
  await delay(BEFORE_MS);
  await new Promise((resolve) => {
    sink.once('exit', resolve);
    sink.kill('SIGKILL');
  });
  await delay(SECONDS * 1000);
  const backlog = await countUndelivered(stack);
  await stack.runServer('bench/sink.ts', port);
  const backAt = performance.now();
  while ((await countUndelivered(stack)) > PER_SECOND) await delay(100);
  const drainedSeconds = (performance.now() - backAt) / 1000;
  await stopPublishing();
  await untilDelivered(stack.sql);
  const { perSecond } = await statsOf(url);
  const healthy = await statsOf(healthyUrl);
  return [
    SECONDS,
    backlog,
    round(drainedSeconds),
    Math.max(...perSecond.map(([, count]) => count)),
    round(healthy.p50, 2),
    round(healthy.p95, 2),
  ];
}

/** Publishes an event for each of the organizations at a time. Returns a function that ends it. */
function publishToBoth({ sql }: BenchStack, organizationIds: string[]): () => Promise<void> {
  const { publish } = createPublisher(sql);
  const startedAt = performance.now();
  let isOver = false;
  const publishing = (async () => {
    for (let index = 0; !isOver; index++) {
      const dueInMs = startedAt + (index * 1000) / PER_SECOND - performance.now();
      if (dueInMs > 0) await delay(dueInMs);
      for (const id of organizationIds) void publish(id);
    }
  })();
  return () => {
    isOver = true;
    return publishing;
  };
}

async function countUndelivered({ sql }: BenchStack): Promise<number> {
  const [row] = await query<{ count: number }>(
    sql,
    `select count(*) from deliveries where state in ('pending', 'sending', 'retrying')`,
  );
  return row?.count ?? 0;
}
