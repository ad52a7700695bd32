/**
 * Withdraws the offers of 100,000 devices: a job is cancelled, their group loses its profile, and their group
 * is deleted. Meanwhile these devices report.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { query } from '../src/db/query.ts';
import { createCustomer, type Send, timed } from './support/customer.ts';
import type { Fleet } from './support/fleet.ts';
import { percentile } from './support/percentile.ts';
import type { BenchStack } from './support/stack.ts';
import { type Cell, printTable } from './support/table.ts';

const DEVICES = 100_000;
const REPORTS_PER_SECOND = 50;
const QUIET_MS = 10_000;
const INTERVALS = { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 21_600 };
const FACTORY = { measurementPeriodBase: 60, measurementPeriodFactor: 1, transmissionInterval: 3_600 };

export async function benchWithdraw(stack: BenchStack): Promise<void> {
  const fleet = await stack.addFleet(DEVICES, { isOnline: true });
  const send = createCustomer(stack.apiUrl, fleet);
  await send('POST', '/devices/config-profiles', { slug: 'intervals', intervals: INTERVALS });
  await reportBeside(stack, fleet, () => sleep(QUIET_MS / 2));
  const quiet = await reportBeside(stack, fleet, () => sleep(QUIET_MS));
  const rows: Cell[][] = [['nothing', '', '', ...quiet]];

  const { jobId } = await send<{ jobId: string }>('PUT', '/devices/config-profiles/intervals/apply', {
    applyToAll: true,
  });
  await untilPending(stack, fleet, DEVICES);
  rows.push(
    await measure(stack, fleet, 'cancel the job', () => send('POST', `/devices/config-jobs/${jobId}/cancel`)),
  );

  for (const name of ['take the profile from the group', 'delete the group']) {
    const { id } = await offerToGroup(stack, fleet, send, name);
    rows.push(
      await measure(stack, fleet, name, () =>
        name === 'delete the group'
          ? send('DELETE', `/groups/${id}`)
          : send('PATCH', `/groups/${id}`, { profileSlug: null }),
      ),
    );
  }
  printTable(
    `Taken back from ${DEVICES} devices, of which ${REPORTS_PER_SECOND} report each second`,
    ['', 'answered after ms', 'over after ms', 'reports', 'p50 ms', 'p99 ms'],
    rows,
  );
}

/** Writes members straight into the database, because joining is not part of this bench. */
async function offerToGroup({ sql }: BenchStack, fleet: Fleet, send: Send, name: string) {
  const group = await send<{ id: string }>('POST', '/groups', { name });
  await query(sql, 'update assets set group_id = ? where organization_id = ?', [
    group.id,
    fleet.organizationId,
  ]);
  await sql.raw('vacuum analyze assets');
  await send('PATCH', `/groups/${group.id}`, { profileSlug: 'intervals' });
  await untilPending({ sql }, fleet, DEVICES);
  return group;
}

async function measure(
  stack: BenchStack,
  fleet: Fleet,
  name: string,
  change: () => Promise<unknown>,
): Promise<Cell[]> {
  const times = [0, 0];
  const reports = await reportBeside(stack, fleet, async () => {
    const over = await timed(async () => {
      times[0] = Math.round((await timed(change)).ms);
      await untilPending(stack, fleet, 0);
    });
    times[1] = Math.round(over.ms);
  });
  return [name, ...times, ...reports];
}

/** Waits until this many devices have a pending change. */
async function untilPending({ sql }: Pick<BenchStack, 'sql'>, fleet: Fleet, expected: number): Promise<void> {
  for (;;) {
    const [row] = await query<{ count: number }>(
      sql,
      'select count(*) from device_configs where organization_id = ? and pending_config_id is not null',
      [fleet.organizationId],
    );
    if (row?.count === expected) return;
    await sleep(250);
  }
}

/**
 * Reports at a steady rate, independent of the answers. Returns their number, and median and 99th percentile.
 */
async function reportBeside(
  stack: BenchStack,
  { deviceToken }: Fleet,
  work: () => Promise<unknown>,
): Promise<Cell[]> {
  const sent: Array<Promise<number>> = [];
  const timer = setInterval(() => {
    const path = `/devices/DEV-${1 + Math.floor(Math.random() * DEVICES)}/config-reports`;
    sent.push(timed(() => report(stack.apiUrl + path, deviceToken)).then(({ ms }) => ms));
  }, 1000 / REPORTS_PER_SECOND);
  await work();
  clearInterval(timer);
  const latencies = (await Promise.all(sent)).sort((a, b) => a - b);
  return [latencies.length, percentile(latencies, 0.5), percentile(latencies, 0.99)];
}

async function report(url: string, deviceToken: string): Promise<void> {
  const response = await request(url, {
    method: 'POST',
    body: JSON.stringify(FACTORY),
    headers: { authorization: `Bearer ${deviceToken}`, 'content-type': 'application/json' },
  });
  await response.body.dump();
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}`);
}
