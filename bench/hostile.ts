/**
 * The harm that one key can do to others: their p95 during each attack, and the memory of the API during slow
 * transfers.
 */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { createKeysRepository } from '../src/keys/keys.repository.ts';
import { createKeyIssuer } from '../src/keys/keys.service.ts';
import { startSlowReader } from '../test/support/slow-reader.ts';
import type { Fleet } from './support/fleet.ts';
import { percentile } from './support/percentile.ts';
import type { BenchStack } from './support/stack.ts';
import { type Cell, printTable, round } from './support/table.ts';

const PROBES = 300;
const PROBE_GAP_MS = 20;
const READINGS = 100_000;
const KEYS = 10;
const EXPORTING = 40;
const DOWNLOADING = 60;
const UPLOADING = 40;
const HELD_MS = 8_000;
const PDF = 'application/pdf';

interface Target extends Fleet {
  stack: BenchStack;
  /** Customer keys. */
  keys: string[];
  measurements: string;
  certificate: string;
}

/** Runs until it is aborted. */
type Attack = (target: Target, signal: AbortSignal) => Promise<unknown>;

const agent = new Agent({ connections: 8 });
const certificate = Buffer.alloc(10 * 1024 * 1024, 'x');
certificate.write('%PDF-');

export async function benchHostile(stack: BenchStack): Promise<void> {
  const target = await createTarget(stack);
  const other = await stack.addFleet(50);
  const rows: Cell[][] = [];
  for (const [name, attack] of Object.entries(ATTACKS)) {
    const quiet = await p95(stack, other);
    const over = new AbortController();
    const attacking = attack(target, over.signal);
    await delay(1_000);
    const attacked = await p95(stack, other);
    over.abort();
    await attacking;
    rows.push([name, quiet, attacked, round(attacked / quiet)]);
  }
  printTable(
    `GET /assets of another organization, one each ${PROBE_GAP_MS} ms`,
    ['beside', 'quiet p95 ms', 'p95 ms', 'ratio'],
    rows,
  );
  const memory = [
    await memoryOf('downloads', target, holdDownloads),
    await memoryOf('uploads', target, holdUploads),
  ];
  printTable(
    'Memory of the API beside certificates of 10 MiB',
    ['held', 'admitted', 'before MB', 'peak MB', 'growth MB'],
    memory,
  );
}

const many = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));

const ALERT = { type: 'high', channel: 'probe', highC: 8 };
const RULE = { condition: 'DISABLED', slotNumbers: [], action: 'NO_ACTION' };
const REPORT = { measurementPeriodBase: 60, measurementPeriodFactor: 1, transmissionInterval: 3600 };

const ATTACKS: Record<string, Attack> = {
  [`${EXPORTING} slow readers of CSV tables`]: (target, signal) =>
    Promise.all(many(EXPORTING, (index) => exportAgain(target, target.keys[index % KEYS] as string, signal))),
  'Content-Type of 15,500 spaces, 4/s': (target, signal) =>
    post(target, signal, '/assets', '{}', `application/json${' '.repeat(15_500)}x`),
  '90,000 keys, 4/s': (target, signal) =>
    post(target, signal, '/assets', JSON.stringify(Object.fromEntries(many(90_000, (n) => [`k${n}`, 1])))),
  '23,000 alerts, 4/s': (target, signal) => {
    const body = JSON.stringify({ slug: 'many', temperatureAlerts: many(23_000, () => ALERT) });
    return post(target, signal, '/devices/config-profiles', body.slice(0, 1024 * 1024));
  },
  '16,000 rules, 4/s': (target, signal) => {
    const body = JSON.stringify({ ...REPORT, alarmRules: many(16_000, () => RULE) });
    return post({ ...target, apiKey: target.deviceToken }, signal, '/devices/DEV-1/config-reports', body);
  },
};

/** Runs a slow export; when it was refused or is over, another one. */
async function exportAgain({ stack, measurements }: Target, token: string, signal: AbortSignal) {
  while (!signal.aborted) {
    const headers = { Accept: 'text/csv' };
    const reader = startSlowReader(stack.apiUrl, { path: measurements, token, headers, bytesPerTick: 4_096 });
    const status = await reader.status;
    for (const until = Date.now() + (status === 200 ? 5_000 : 500); Date.now() < until && !signal.aborted; ) {
      await delay(100);
    }
    reader.stop();
  }
}

async function post(
  { stack, apiKey }: Target,
  signal: AbortSignal,
  path: string,
  body: string,
  type = 'application/json',
) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': type };
  while (!signal.aborted) {
    const answered = request(stack.apiUrl + path, { method: 'POST', headers, body, dispatcher: agent });
    await Promise.all([answered.then((answer) => answer.body.dump()), delay(250)]);
  }
}

async function p95({ apiUrl }: BenchStack, { apiKey }: Fleet): Promise<number> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const times: number[] = [];
  for (let count = 0; count < PROBES; count++) {
    const startedAt = performance.now();
    const { statusCode, body } = await request(`${apiUrl}/assets`, { headers, dispatcher: agent });
    await body.dump();
    if (statusCode !== 200) throw new Error(`GET /assets: ${statusCode}`);
    times.push(performance.now() - startedAt);
    await delay(PROBE_GAP_MS);
  }
  return percentile(
    times.sort((a, b) => a - b),
    0.95,
  );
}

/** Holds transfers open for a time; returns the number of admitted ones. */
type Hold = (target: Target) => Promise<{ admitted: number; release(): void }>;

async function memoryOf(name: string, target: Target, hold: Hold): Promise<Cell[]> {
  // Lets the heap grow to its usual size first.
  for (let round = 0; round < 5; round++) await transferOnce(target);
  const before = target.stack.apiMemoryMb();
  const { admitted, release } = await hold(target);
  let peak = before;
  for (const until = Date.now() + HELD_MS; Date.now() < until; await delay(100)) {
    peak = Math.max(peak, target.stack.apiMemoryMb());
  }
  release();
  return [name, admitted, before, peak, peak - before];
}

const holdDownloads: Hold = async ({ stack, certificate: path, apiKey }) => {
  const readers = many(DOWNLOADING, () => startSlowReader(stack.apiUrl, { path, token: apiKey }));
  const statuses = await Promise.all(readers.map(({ status }) => status));
  return {
    admitted: statuses.filter((status) => status === 200).length,
    release: () => void readers.map((reader) => reader.stop()),
  };
};

/** Each upload withholds its last byte. */
const holdUploads: Hold = async ({ stack, certificate: path, keys }) => {
  const { hostname, port } = new URL(stack.apiUrl);
  let refused = 0;
  const sockets = many(UPLOADING, (index) => {
    const socket = connect({ host: hostname, port: Number(port) }).on('error', () => {});
    socket.once('data', () => refused++);
    const lines = [
      `PUT ${path} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${keys[index % KEYS]}`,
      `Content-Type: ${PDF}`,
      `Content-Length: ${certificate.length}`,
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    socket.write(certificate.subarray(0, -1));
    return socket;
  });
  await delay(2_000);
  return { admitted: UPLOADING - refused, release: () => void sockets.map((socket) => socket.destroy()) };
};

async function transferOnce({ stack, certificate: path, apiKey }: Target): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const sent = await request(stack.apiUrl + path, {
    method: 'PUT',
    headers: { ...headers, 'content-type': PDF },
    body: certificate,
    dispatcher: agent,
  });
  if (sent.statusCode !== 200) throw new Error(`PUT ${path}: ${sent.statusCode}`);
  await sent.body.dump();
  const received = await request(stack.apiUrl + path, { headers, dispatcher: agent });
  await received.body.arrayBuffer();
}

async function createTarget(stack: BenchStack): Promise<Target> {
  const fleet = await stack.addFleet(1);
  const { organizationId } = fleet;
  const { rows } = await stack.sql.raw('select id from assets where organization_id = ?', [organizationId]);
  const asset = `/assets/${rows[0].id}`;
  await stack.sql.raw(
    `insert into measurement_blocks
       (organization_id, asset_id, first_at, last_at, received_at, channel, type, scale, late, steps)
     select ?, ?, at, at, now(), 1, 1, 0, false, array[n % 30]
     from generate_series(1, ?::integer) as n,
       lateral (select date_trunc('month', now()) + interval '15 days' - n * interval '1 second' as at) as time`,
    [organizationId, rows[0].id, READINGS],
  );
  await stack.sql.raw('vacuum analyze measurement_blocks');
  const issuer = createKeyIssuer(createKeysRepository(stack.sql), Date.now);
  const issue = () => issuer.issue({ organizationId, kind: 'customer', expiresAt: null });
  const keys = (await Promise.all(many(KEYS, issue))).map(({ token }) => token);
  return {
    ...fleet,
    stack,
    keys,
    measurements: `${asset}/measurements`,
    certificate: `${asset}/calibration-certificate`,
  };
}
