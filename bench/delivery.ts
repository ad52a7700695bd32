/** Webhook delivery, from the committed event to the recorded 2xx: saturated, at steady rates, and after an outage. */
import type { ChildProcess } from 'node:child_process';
import { freePort } from '../dev/embedded/free-port.ts';
import { runAndStop } from '../dev/embedded/run-and-stop.ts';
import { query } from '../src/db/query.ts';
import { FLAKY, measureFlaky } from './flaky-receivers.ts';
import { cpuSeconds, peakMb } from './support/process-usage.ts';
import { type BenchStack, startStack } from './support/stack.ts';
import { printTable, round } from './support/table.ts';
import { addEndpoints, createPublisher, type Publisher, untilDelivered } from './support/webhook-load.ts';

const SATURATED_EVENTS = 30_000;
const WARM_UP_EVENTS = 3_000;
const OPEN_SECONDS = 12;
const OPEN_WARM_UP = { perSecond: 500, seconds: 4 };
const RATES = [20, 50, 200, 500, 1_000];
const OUTAGE = { perSecond: 200, seconds: 60 };

async function undelivered(stack: BenchStack): Promise<number> {
  const [row] = await query<{ count: number }>(
    stack.sql,
    `select count(*) from deliveries where state in ('pending', 'sending', 'retrying')`,
  );
  return row?.count ?? 0;
}

interface SinkStats {
  count: number;
  p50: number;
  p95: number;
  p99: number;
  perSecond: Array<[number, number]>;
}

const statsOf = async (sinkUrl: string) => (await (await fetch(`${sinkUrl}/stats`)).json()) as SinkStats;

async function saturated(stack: BenchStack, sinkUrl: string, worker: ChildProcess, endpoints: number) {
  const ids = await addEndpoints(stack.sql, endpoints, `${sinkUrl}/hook`);
  const { publish } = createPublisher(stack.sql);
  for (let sent = 0; sent < WARM_UP_EVENTS; sent += ids.length) await Promise.all(ids.map(publish));
  await untilDelivered(stack.sql);
  await statsOf(sinkUrl);
  const cpuBefore = cpuSeconds(worker.pid as number);
  const startedAt = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: 400 }, async () => {
      while (next < SATURATED_EVENTS) await publish(ids[next++ % ids.length] as string);
    }),
  );
  const publishedMs = performance.now() - startedAt;
  await untilDelivered(stack.sql);
  const seconds = (performance.now() - startedAt) / 1000;
  const { count } = await statsOf(sinkUrl);
  const cpu = cpuSeconds(worker.pid as number) - cpuBefore;
  const { postgres, temporal } = stack.serversMb();
  return [
    endpoints,
    count,
    round(publishedMs / 1000),
    round(seconds),
    Math.round(count / seconds),
    round((cpu / count) * 1000, 2),
    peakMb(worker.pid as number),
    stack.apiPeakMb(),
    postgres,
    temporal,
  ];
}

async function publishAt(
  { publish }: Publisher,
  { perSecond, seconds }: { perSecond: number; seconds: number },
  organizationIds: string[],
): Promise<void> {
  const startedAt = performance.now();
  const publishing: Array<Promise<void>> = [];
  for (let index = 0; index < perSecond * seconds; index++) {
    const dueInMs = startedAt + (index * 1000) / perSecond - performance.now();
    if (dueInMs > 0) await new Promise((resolve) => setTimeout(resolve, dueInMs));
    publishing.push(publish(organizationIds[index % organizationIds.length] as string));
  }
  await Promise.all(publishing);
}

async function openLoop(stack: BenchStack, sinkUrl: string): Promise<number[][]> {
  const organizationIds = await addEndpoints(stack.sql, 10, `${sinkUrl}/hook`);
  const publisher = createPublisher(stack.sql);
  await publishAt(publisher, OPEN_WARM_UP, organizationIds);
  const rows = [];
  for (const perSecond of RATES) {
    await publishAt(publisher, { perSecond, seconds: 2 }, organizationIds);
    await untilDelivered(stack.sql);
    await statsOf(sinkUrl);
    await publishAt(publisher, { perSecond, seconds: OPEN_SECONDS }, organizationIds);
    await untilDelivered(stack.sql);
    const { count, p50, p95, p99 } = await statsOf(sinkUrl);
    if (count !== perSecond * OPEN_SECONDS) throw new Error(`${count} came at ${perSecond}/s`);
    rows.push([perSecond, count, round(p50, 2), round(p95, 2), round(p99, 2)]);
  }
  return rows;
}

async function outage(stack: BenchStack) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const healthyPort = await freePort();
  const healthyUrl = `http://127.0.0.1:${healthyPort}`;
  let sink = await stack.runServer('bench/sink.ts', port);
  await stack.runServer('bench/sink.ts', healthyPort);
  const [id = ''] = await addEndpoints(stack.sql, 1, `${url}/hook`);
  const [healthyId = ''] = await addEndpoints(stack.sql, 1, `${healthyUrl}/hook`);
  const { publish } = createPublisher(stack.sql);
  const startedAt = performance.now();
  let isOver = false;
  const publishing = (async () => {
    for (let index = 0; !isOver; index++) {
      const dueInMs = startedAt + (index * 1000) / OUTAGE.perSecond - performance.now();
      if (dueInMs > 0) await new Promise((resolve) => setTimeout(resolve, dueInMs));
      void publish(id);
      void publish(healthyId);
    }
  })();
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  await new Promise((resolve) => {
    sink.once('exit', resolve);
    sink.kill('SIGKILL');
  });
  await new Promise((resolve) => setTimeout(resolve, OUTAGE.seconds * 1000));
  const backlog = await undelivered(stack);
  sink = await stack.runServer('bench/sink.ts', port);
  const backAt = performance.now();
  while ((await undelivered(stack)) > OUTAGE.perSecond)
    await new Promise((resolve) => setTimeout(resolve, 100));
  const drainedSeconds = (performance.now() - backAt) / 1000;
  isOver = true;
  await publishing;
  await untilDelivered(stack.sql);
  const { perSecond } = await statsOf(url);
  const healthy = await statsOf(healthyUrl);
  return [
    OUTAGE.seconds,
    backlog,
    round(drainedSeconds),
    Math.max(...perSecond.map(([, count]) => count)),
    round(healthy.p50, 2),
    round(healthy.p95, 2),
  ];
}

async function flaky(stack: BenchStack, sinkUrl: string) {
  const organizations = [];
  for (const name of ['each-fifth', 'random']) {
    const [id = ''] = await addEndpoints(stack.sql, 1, `${sinkUrl}/${name}`);
    organizations.push({ name, id });
  }
  const ids = organizations.map(({ id }) => id);
  const publisher = createPublisher(stack.sql);
  const { perSecond, seconds } = FLAKY;
  return measureFlaky(stack, organizations, () =>
    publishAt(publisher, { perSecond: perSecond * ids.length, seconds }, ids),
  );
}

await runAndStop(async (onStop) => {
  const stack = await startStack(onStop, { WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8' });
  const port = await freePort();
  const sinkUrl = `http://127.0.0.1:${port}`;
  await stack.runServer('bench/sink.ts', port);
  const chosen = process.argv.slice(2);
  const wants = (name: string) => chosen.length === 0 || chosen.includes(name);
  if (wants('saturated')) {
    const rows = [];
    for (const endpoints of [1, 10, 200]) rows.push(await saturated(stack, sinkUrl, stack.worker, endpoints));
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
  if (wants('open')) {
    printTable(
      `Open loop, 10 endpoints, from before the commit to the receipt, after ${OPEN_WARM_UP.seconds} s of warm-up`,
      ['events/s', 'deliveries', 'p50 ms', 'p95 ms', 'p99 ms'],
      await openLoop(stack, sinkUrl),
    );
  }
  if (wants('outage')) {
    printTable(
      `A receiver is away for ${OUTAGE.seconds} s at ${OUTAGE.perSecond} events/s; another one is not`,
      ['outage s', 'backlog', 'drained after s', 'busiest second', 'other p50 ms', 'other p95 ms'],
      [await outage(stack)],
    );
  }
  // Only by name: it takes ten minutes.
  if (chosen.includes('flaky')) {
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
      await flaky(stack, sinkUrl),
    );
  }
});
process.exit(0);
