/**
 * The operators' page in a browser, with 100,000 devices beside another organization with as many: the time of
 * the server, and the first paint; and the preview of an apply to all.
 */
import type { Page } from 'playwright-core';
import { query } from '../src/db/query.ts';
import { MINUTE_MS } from '../src/process/durations.ts';
import { findChromium, startBrowser } from '../test/support/browser.ts';
import type { Fleet } from './support/fleet.ts';
import type { BenchStack } from './support/stack.ts';
import { printTable, round } from './support/table.ts';

const DEVICES = 100_000;
const LOADS = 15;
const PREVIEWS = 5;
/** Devices of one page, with a day of readings each. */
const SENDING = 40;

const PAGES: ReadonlyArray<readonly [string, string]> = [
  ['start', ''],
  ['fleet, most urgent', '/fleet'],
  [
    'fleet, calm devices',
    `/fleet?cursor=${Buffer.from(JSON.stringify(['6', '00000000-0000-0000-0000-000000000000'])).toString('base64url')}`,
  ],
  ['group of 100,000', '/fleet?groupId='],
  ['fleet by name', '/fleet?order=name'],
  ['fleet by last reading', '/fleet?order=oldest-reading'],
  ['search', '/fleet?q=99'],
  ['offline devices', '/fleet?status=offline'],
  ['jobs', '/jobs'],
  ['alerts', '/alerts'],
  ['webhooks', '/webhooks'],
  ['groups', '/groups'],
  ['audit trail', '/audit'],
  ['audit by name of a device', '/audit?subject=Device+50000'],
  ['audit by serial number', '/audit?subject=DEV-50000'],
  ['audit by name of the group', '/audit?subject=All+of+them'],
  ['audit by a name without changes', '/audit?subject=None'],
];

export async function benchOperator(stack: BenchStack): Promise<void> {
  const executable = findChromium();
  if (executable === null) throw new Error('There is no Chromium: set CHROMIUM_PATH');
  const calm = await stack.addFleet(DEVICES);
  await stack
    .sql('device_states')
    .where({ organization_id: calm.organizationId })
    .update({ status: 'online', last_contact_at: stack.sql.fn.now() });
  const fleet = await stack.addFleet(DEVICES);
  await live(stack, fleet);
  const groupId = await addGroup(stack, fleet);
  await addAuditEntries(stack, fleet, groupId);
  await benchPreview(stack, fleet);
  const browser = await startBrowser(executable);
  try {
    const page = await browser.newPage();
    await signIn(page, stack, fleet);
    const rows = [];
    for (const [name, path] of PAGES)
      rows.push([
        name,
        ...(await measure(
          page,
          `${stack.apiUrl}/operator${path.replace(/groupId=$/, `groupId=${groupId}`)}`,
        )),
      ]);
    const calmPage = await (await browser.newContext()).newPage();
    await signIn(calmPage, stack, calm);
    rows.push(['start, where all is well', ...(await measure(calmPage, `${stack.apiUrl}/operator`))]);
    printTable(
      `Operators' page, ${DEVICES.toLocaleString('en')} devices, ${LOADS} loads each`,
      ['page', 'server p50 ms', 'first paint p50 ms', 'first paint p95 ms'],
      rows,
    );
  } finally {
    await browser.close();
  }
}

/** A group that all devices are in. */
async function addGroup({ sql }: BenchStack, { organizationId }: Fleet): Promise<string> {
  const [row] = await query<{ id: string }>(
    sql,
    `insert into groups (organization_id, name) values (?, 'All of them') returning id`,
    [organizationId],
  );
  const { id } = row as { id: string };
  await query(sql, 'update assets set group_id = ? where organization_id = ?', [id, organizationId]);
  await sql.raw('vacuum analyze assets');
  return id;
}

/** A change of each device by one key, and one of the group. */
async function addAuditEntries(
  { sql }: BenchStack,
  { organizationId }: Fleet,
  groupId: string,
): Promise<void> {
  await query(
    sql,
    `insert into audit_entries (organization_id, actor_name, action, subject, before, after)
     select organization_id, 'Bench', 'updateAsset', id::text,
       json_build_object('name', 'Earlier'), json_build_object('name', name)
     from assets where organization_id = ?
     union all
     select organization_id, 'Bench', 'updateGroup', id::text, null,
       json_build_object('name', name)
     from groups where organization_id = ? and id = ?`,
    [organizationId, organizationId, groupId],
  );
  await sql.raw('vacuum analyze audit_entries');
}

/** The dry run of the page, and the one that lists the devices. */
async function benchPreview({ apiUrl }: BenchStack, { apiKey }: Fleet): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const send = async (method: string, path: string, body: unknown) => {
    const response = await fetch(apiUrl + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
  };
  const alerts = [{ type: 'range', channel: 'probe', lowC: 2, highC: 8 }];
  await send('POST', '/devices/config-profiles', { slug: 'bench', temperatureAlerts: alerts });
  const rows = [];
  for (const [name, more] of [
    ['counted', '&omitApplied=true'],
    ['with the list of devices', ''],
  ] as const) {
    const times: number[] = [];
    for (let run = 0; run < PREVIEWS; run++) {
      const begin = performance.now();
      await send('PUT', `/devices/config-profiles/bench/apply?dryRun=true${more}`, { applyToAll: true });
      times.push(performance.now() - begin);
    }
    rows.push([name, at(times, 0.5)]);
  }
  printTable(`Preview of an apply to ${DEVICES.toLocaleString('en')} devices`, ['dry run', 'p50 ms'], rows);
}

/** Makes most devices online; some need somebody. */
async function live(stack: BenchStack, { organizationId, deviceToken }: Fleet): Promise<void> {
  await query(
    stack.sql,
    `update device_states set status = case when random() < 0.01 then 'offline' else 'online' end,
       last_contact_at = now(), expected_by = now() + interval '20 hours'
     where organization_id = ?`,
    [organizationId],
  );
  await query(
    stack.sql,
    `with open as (
       insert into alerts (organization_id, asset_id, serial_number, type, details, started_at)
       select organization_id, id, serial_number, 'high_temp',
         '{"channel": 1, "rule": 0, "value": 19, "bounds": {"lowC": 2, "highC": 8, "hysteresisC": 0}}', now()
       from assets where organization_id = ? and random() < 0.005 returning organization_id, asset_id, id
     )
     update device_states s set open_alerts = jsonb_build_array(jsonb_build_object('type', 'high_temp', 'channel', 1, 'alertId', o.id))
     from open o where s.organization_id = o.organization_id and s.asset_id = o.asset_id`,
    [organizationId],
  );
  await query(
    stack.sql,
    `update device_configs set sync_status = 'failed' where organization_id = ? and random() < 0.002`,
    [organizationId],
  );
  await query(
    stack.sql,
    `update device_states set battery_status = 'low' where organization_id = ? and random() < 0.02`,
    [organizationId],
  );
  await stack.sql.raw('vacuum analyze device_states, device_configs, alerts');
  for (let device = 1; device <= SENDING; device++) {
    const response = await fetch(`${stack.apiUrl}/devices/DEV-${device}/measurements`, {
      method: 'POST',
      headers: { authorization: `Bearer ${deviceToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ readings: dayOfReadings(device) }),
    });
    if (response.status !== 202) throw new Error(await response.text());
  }
}

const dayOfReadings = (device: number) =>
  Array.from({ length: 288 }, (_, step) => ({
    channel: 'probe',
    type: 'temperature',
    value: Math.round(50 + 10 * Math.sin(step / 30 + device)) / 10,
    measuredAt: new Date(Date.now() - step * 5 * MINUTE_MS).toISOString(),
  }));

async function signIn(page: Page, { apiUrl }: BenchStack, { apiKey }: Fleet): Promise<void> {
  const response = await fetch(`${apiUrl}/operator-links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Bench' }),
  });
  const { url } = (await response.json()) as { url: string };
  const link = new URL(url).searchParams.get('link') as string;
  // Forms are taken from the address in the settings alone, which has another port.
  const signedIn = await fetch(`${apiUrl}/operator/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: new URL(url).origin },
    body: new URLSearchParams({ link }),
  });
  const [name = '', value = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';')[0]?.split('=') ?? [];
  await page.context().addCookies([{ name, value, url: apiUrl }]);
  await page.goto(`${apiUrl}/operator`);
  await page.waitForSelector('nav a[aria-current]');
}

async function measure(page: Page, url: string): Promise<number[]> {
  const servers: number[] = [];
  const paints: number[] = [];
  for (let load = 0; load < LOADS; load++) {
    await page.goto(url);
    const [server, paint] = (await page.evaluate(TIMES)) as [number, number];
    servers.push(server);
    paints.push(paint);
  }
  return [at(servers, 0.5), at(paints, 0.5), at(paints, 0.95)];
}

/** Resolves when the page is painted. */
const TIMES = `new Promise((resolve) => {
  const [navigation] = performance.getEntriesByType('navigation');
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries())
      if (name === 'first-contentful-paint') resolve([navigation.responseEnd - navigation.requestStart, startTime]);
  }).observe({ type: 'paint', buffered: true });
})`;

const at = (values: number[], share: number): number =>
  round([...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] as number, 0);
