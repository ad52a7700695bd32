/** The devices' side: frames over CoAP and HTTP, webhooks along the way, a job under way, and a year of history. */
import type { ChildProcess } from 'node:child_process';
import autocannon from 'autocannon';
import { request } from 'undici';
import { freePort } from '../dev/embedded/free-port.ts';
import { query } from '../src/db/query.ts';
import { createLoggers, serialOf } from './support/loggers.ts';
import { type BenchStack, cpuSeconds, type Fleet, peakMb, startStack } from './support/stack.ts';
import { printTable, round } from './support/table.ts';

const DEVICES = 10_000;
const FLEET = 100_000;
const YEAR_ROWS = 105_120;
/** An hour in a frame: readings lie together as loggers send them. */
const FRAME_ROWS = 12;
const HISTORY_ROWS = 20_000_000;
const CONNECTIONS = 64;

const at = (sorted: number[], share: number) => round(sorted[Math.floor(sorted.length * share)] ?? 0);

interface Bed {
  stack: BenchStack;
  gateway: ChildProcess;
  coapPort: number;
  sinkUrl: string;
}

const countReadings = async ({ stack }: Bed) =>
  (await query<{ count: number }>(stack.sql, 'select count(*) from measurements'))[0]?.count ?? 0;

type Loggers = Awaited<ReturnType<typeof createLoggers>>;

async function loggersOf({ coapPort }: Bed, fleet: Fleet) {
  return createLoggers({ port: coapPort, token: fleet.deviceToken, serialOf });
}

const SATURATED = { frames: 30_000, runs: 3 };
const STEADY = { perSecond: 1_000, warmUpSeconds: 10, seconds: 20 };

/** Below saturation first: what a burst leaves for the disk to do would be timed with it. */
async function frames(bed: Bed): Promise<void> {
  await steadyFrames(bed);
  await saturatedFrames(bed);
}

async function steadyFrames(bed: Bed): Promise<void> {
  const fleet = await bed.stack.addFleet(DEVICES, { serialOf: HEX_SERIAL });
  const loggers = await loggersOf(bed, fleet);
  const rows = [await steadyRow(bed, loggers, { name: 'nobody listens', firstRound: 0, webhooks: 0 })];
  await subscribe(bed, fleet);
  await subscribe(bed, fleet);
  rows.push(await steadyRow(bed, loggers, { name: 'two cellular webhooks', firstRound: 40, webhooks: 2 }));
  loggers.close();
  printTable(
    `CON frames of 10 + 10 samples at ${STEADY.perSecond}/s, stored before the ACK, ${DEVICES} devices, after ${STEADY.warmUpSeconds} s of warm-up`,
    [
      '',
      'frames/s',
      'ACK p50 ms',
      'p99 ms',
      'lost',
      'readings stored',
      'webhooks',
      'p50 ms',
      'p95 ms',
      'disk flush p99 ms',
      'most ms',
    ],
    rows,
  );
}

async function steadyRow(
  bed: Bed,
  loggers: Loggers,
  { name, firstRound, webhooks }: { name: string; firstRound: number; webhooks: number },
) {
  const { perSecond, warmUpSeconds, seconds } = STEADY;
  await loggers.openLoop(perSecond, { devices: DEVICES, seconds: warmUpSeconds, round: firstRound });
  await untilDelivered(bed);
  await statsOf(bed.sinkUrl);
  const before = await countReadings(bed);
  const disk = await bed.stack.watchDisk();
  const result = await loggers.openLoop(perSecond, { devices: DEVICES, seconds, round: firstRound + 20 });
  const flushes = await disk.stop();
  await untilDelivered(bed);
  const hooks = await statsOf(bed.sinkUrl);
  const sent = result.latenciesMs.length;
  if (hooks.count !== sent * webhooks) throw new Error(`${hooks.count} webhooks came of ${sent * webhooks}`);
  return [
    name,
    Math.round(sent / result.seconds),
    at(result.latenciesMs, 0.5),
    at(result.latenciesMs, 0.99),
    result.lost + result.refused,
    storedOf((await countReadings(bed)) - before, sent),
    hooks.count,
    webhooks > 0 ? round(hooks.p50) : '',
    webhooks > 0 ? round(hooks.p95) : '',
    at(flushes, 0.99),
    round(flushes.at(-1) ?? 0),
  ];
}

async function saturatedFrames(bed: Bed): Promise<void> {
  const fleet = await bed.stack.addFleet(DEVICES, { serialOf: HEX_SERIAL });
  const loggers = await loggersOf(bed, fleet);
  const pid = bed.gateway.pid as number;
  await loggers.closedLoop(10_000, { devices: DEVICES, underWay: 400, round: 0 });
  const rows = [];
  for (let run = 1; run <= SATURATED.runs; run++) {
    const before = await countReadings(bed);
    const cpuBefore = cpuSeconds(pid);
    const result = await loggers.closedLoop(SATURATED.frames, {
      devices: DEVICES,
      underWay: 400,
      round: run * 10,
    });
    const sent = result.latenciesMs.length;
    rows.push([
      Math.round(sent / result.seconds),
      at(result.latenciesMs, 0.5),
      at(result.latenciesMs, 0.99),
      result.lost + result.refused,
      storedOf((await countReadings(bed)) - before, sent),
      round(((cpuSeconds(pid) - cpuBefore) / SATURATED.frames) * 1000, 2),
      peakMb(pid),
    ]);
  }
  loggers.close();
  printTable(
    `The same saturated: ${SATURATED.frames} frames, 400 under way at any time`,
    ['frames/s', 'ACK p50 ms', 'p99 ms', 'lost', 'readings stored', 'gateway CPU ms each', 'gateway peak MB'],
    rows,
  );
}

const SAMPLES_PER_FRAME = 20;
const storedOf = (stored: number, sent: number) =>
  stored === sent * SAMPLES_PER_FRAME ? 'all' : `${stored} of ${sent * SAMPLES_PER_FRAME}`;

async function subscribe({ stack, sinkUrl }: Bed, { organizationId }: Fleet): Promise<void> {
  await query(
    stack.sql,
    `insert into endpoints (organization_id, collection, name, url, status, events)
     values (?, 'cellular', 'bench', ?, 'active', array['data.measurement'])`,
    [organizationId, `${sinkUrl}/hook`],
  );
}

async function untilDelivered({ stack }: Bed): Promise<void> {
  for (;;) {
    const [row] = await query<{ count: number }>(
      stack.sql,
      `select count(*) from deliveries where state in ('pending', 'sending', 'retrying')`,
    );
    if (row?.count === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

interface SinkStats {
  count: number;
  p50: number;
  p95: number;
}

const statsOf = async (url: string) => (await (await fetch(`${url}/stats`)).json()) as SinkStats;

/** Every device has a change waiting: what does that cost a frame? */
async function underWay(bed: Bed): Promise<void> {
  const fleet = await bed.stack.addFleet(FLEET, { serialOf: HEX_SERIAL });
  const call = (method: string, path: string, body: object) =>
    fetch(bed.stack.apiUrl + path, {
      method,
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${fleet.apiKey}`, 'content-type': 'application/json' },
    });
  const rows = [];
  for (const [name, isApplied] of [
    ['nothing waits', false],
    ['a job to all is under way', true],
  ] as const) {
    if (isApplied) {
      const intervals = { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 3_600 };
      await call('POST', '/devices/config-profiles', { slug: 'guard', intervals });
      const applied = await call('PUT', '/devices/config-profiles/guard/apply', { applyToAll: true });
      if (applied.status !== 200) throw new Error(`apply answered ${applied.status}`);
    }
    const loggers = await loggersOf(bed, fleet);
    const before = await transactionsOf(bed);
    const result = await loggers.openLoop(500, { devices: FLEET, seconds: 15, round: isApplied ? 40 : 0 });
    const after = await transactionsOf(bed);
    loggers.close();
    rows.push([
      name,
      result.latenciesMs.length,
      at(result.latenciesMs, 0.5),
      at(result.latenciesMs, 0.99),
      result.lost + result.refused,
      round((after - before) / result.latenciesMs.length, 2),
    ]);
  }
  printTable(
    '100,000 devices, frames at 500/s',
    ['', 'frames', 'ACK p50 ms', 'ACK p99 ms', 'lost', 'transactions per frame'],
    rows,
  );
}

async function transactionsOf({ stack }: Bed): Promise<number> {
  const [row] = await query<{ count: number }>(
    stack.sql,
    'select pg_stat_clear_snapshot(), xact_commit as count from pg_stat_database where datname = current_database()',
  );
  return row?.count ?? 0;
}

async function http(bed: Bed): Promise<void> {
  const fleet = await bed.stack.addFleet(DEVICES, { serialOf: HEX_SERIAL });
  const port = await freePort();
  await bed.stack.runServer('bench/baseline.ts', port);
  let sent = 0;
  const startMs = Date.now() - 3_600_000;
  const bodyOf = () => {
    const first = startMs + sent++ * 10;
    return JSON.stringify({
      readings: Array.from({ length: 10 }, (_, index) => ({
        channel: 1,
        type: 'temperature',
        value: 4.2,
        measuredAt: new Date(first + index).toISOString(),
      })),
      batteryStatus: 'ok',
      signal: 40,
    });
  };
  const headers = { authorization: `Bearer ${fleet.deviceToken}`, 'content-type': 'application/json' };
  const run = (url: string, path: (device: number) => string, duration: number) =>
    autocannon({
      url,
      connections: CONNECTIONS,
      duration,
      requests: [
        {
          method: 'POST',
          headers,
          setupRequest: (request) => ({
            ...request,
            path: path((sent % DEVICES) + 1),
            body: bodyOf(),
          }),
        },
      ],
    });
  const rows = [];
  for (let pair = 1; pair <= 3; pair++) {
    const bareUrl = `http://127.0.0.1:${port}`;
    await run(bareUrl, () => '/parse', 2);
    const bare = await run(bareUrl, () => '/parse', 8);
    const storePath = (device: number) => `/${fleet.organizationId}/store/${serialOf(device)}`;
    await run(bareUrl, storePath, 2);
    const storing = await run(bareUrl, storePath, 8);
    const path = (device: number) => `/devices/${serialOf(device)}/measurements`;
    await run(bed.stack.apiUrl, path, 2);
    const service = await run(bed.stack.apiUrl, path, 8);
    for (const { non2xx, errors, timeouts } of [bare, storing, service])
      if (non2xx + errors + timeouts > 0) throw new Error(`${non2xx} refused, ${errors + timeouts} failed`);
    rows.push([
      Math.round(bare.requests.average),
      Math.round(storing.requests.average),
      Math.round(service.requests.average),
      ratio(service, bare),
      ratio(service, storing),
      service.latency.p50,
      service.latency.p99,
    ]);
  }
  printTable(
    `HTTP intake, 10 readings a request, ${CONNECTIONS} connections; bare Koa parses the same body and does nothing, or stores it`,
    ['bare/s', 'bare, storing/s', 'service/s', 'of bare', 'of storing', 'p50 ms', 'p99 ms'],
    rows,
  );
}

const ratio = (ours: autocannon.Result, theirs: autocannon.Result) =>
  `${round((ours.requests.average / theirs.requests.average) * 100, 0)} %`;

async function history(bed: Bed): Promise<void> {
  const devices = Math.round(HISTORY_ROWS / YEAR_ROWS);
  const fleet = await bed.stack.addFleet(devices, { serialOf: HEX_SERIAL });
  const { sql } = bed.stack;
  process.stderr.write(`Loading ${devices * YEAR_ROWS} readings\n`);
  const monthsAgo = (months: number) => `date_trunc('month', now()) - interval '${months} months'`;
  for (let month = 13; month >= 1; month--) {
    await sql.raw(`do $$ begin
      execute format('create table if not exists measurements_%s partition of measurements for values from (%L) to (%L)',
        to_char(${monthsAgo(month)}, 'YYYYMM'), ${monthsAgo(month)}, ${monthsAgo(month - 1)});
    end $$`);
  }
  await query(
    sql,
    `insert into measurements (organization_id, asset_id, measured_at, received_at, channel, type, value, late)
     select a.organization_id, a.id, now() - (frame * ${FRAME_ROWS} - g) * interval '5 minutes', now(), 1, 1, 4 + g % 30 / 10.0, false
     from generate_series(${YEAR_ROWS / FRAME_ROWS}, 1, -1) frame, assets a, generate_series(1, ${FRAME_ROWS}) g
     where a.organization_id = ?`,
    [fleet.organizationId],
  );
  await sql.raw('vacuum analyze measurements');
  const ids = (
    await query<{ id: string }>(sql, 'select id from assets where organization_id = ?', [
      fleet.organizationId,
    ])
  ).map(({ id }) => id);
  const get = async (path: string) => {
    const startedAt = performance.now();
    const answer = await request(bed.stack.apiUrl + path, {
      headers: { authorization: `Bearer ${fleet.apiKey}` },
    });
    const body = (await answer.body.json()) as { items: unknown[]; nextCursor: string | null };
    if (answer.statusCode !== 200 || body.items.length === 0)
      throw new Error(`${path} answered ${answer.statusCode}`);
    return { ms: performance.now() - startedAt, nextCursor: body.nextCursor };
  };
  const rows = [];
  for (const limit of [50, 500]) {
    const times: number[] = [];
    for (let walk = 0; walk < 40; walk++) {
      const id = ids[Math.floor(Math.random() * ids.length)];
      const to = new Date(Date.now() - Math.random() * 360 * 86_400_000).toISOString();
      let cursor = '';
      for (let page = 0; page < 25; page++) {
        const { ms, nextCursor } = await get(`/assets/${id}/measurements?limit=${limit}&to=${to}${cursor}`);
        times.push(ms);
        if (!nextCursor) break;
        cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
      }
    }
    const sorted = times.slice(20).sort((a, b) => a - b);
    rows.push([limit, sorted.length, at(sorted, 0.5), at(sorted, 0.95), at(sorted, 0.99)]);
  }
  printTable(
    `History of one device over a year (${YEAR_ROWS} readings among ${devices * YEAR_ROWS}), in frames of ${FRAME_ROWS}; pages over HTTP`,
    ['items', 'pages', 'p50 ms', 'p95 ms', 'p99 ms'],
    rows,
  );
}

const HEX_SERIAL = `'282C02' || upper(lpad(to_hex(g), 6, '0'))`;
const benches = { frames, 'under-way': underWay, http, history };
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no bench ${unknown.join(', ')}: choose among ${Object.keys(benches).join(', ')}\n`,
  );
  process.exit(2);
}

const coapPort = await freePort();
const stack = await startStack({
  WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8',
  DEVICE_RATE_LIMIT_PER_SECOND: '0',
  COAP_PORT: String(coapPort),
});
try {
  const gateway = await stack.runGateway(coapPort);
  const sinkPort = await freePort();
  await stack.runServer('bench/sink.ts', sinkPort);
  const bed = { stack, gateway, coapPort, sinkUrl: `http://127.0.0.1:${sinkPort}` };
  for (const [name, bench] of Object.entries(benches)) {
    if (chosen.length === 0 || chosen.includes(name)) await bench(bed);
  }
} finally {
  await stack.stop();
}
process.exit(0);
