/** The operators' page in a browser, with 100,000 devices: the time of the server, and the first paint. */
import type { Page } from 'playwright-core';
import { query } from '../src/db/query.ts';
import { findChromium, startBrowser } from '../test/support/browser.ts';
import type { Fleet } from './support/fleet.ts';
import type { BenchStack } from './support/stack.ts';
import { printTable, round } from './support/table.ts';

const DEVICES = 100_000;
const LOADS = 15;
/** Devices of one page, with a day of readings each. */
const SENDING = 40;
const MINUTE_MS = 60_000;

const PAGES: ReadonlyArray<readonly [string, string]> = [
  ['start', ''],
  ['fleet', '/fleet'],
  ['fleet by name', '/fleet?order=name'],
  ['fleet by last reading', '/fleet?order=oldest-reading'],
  ['search', '/fleet?q=99'],
  ['offline devices', '/fleet?status=offline'],
  ['jobs', '/jobs'],
  ['alerts', '/alerts'],
  ['webhooks', '/webhooks'],
];

export async function benchOperator(stack: BenchStack): Promise<void> {
  const executable = findChromium();
  if (executable === null) throw new Error('There is no Chromium: set CHROMIUM_PATH');
  const fleet = await stack.addFleet(DEVICES);
  await live(stack, fleet);
  const browser = await startBrowser(executable);
  try {
    const page = await browser.newPage();
    await signIn(page, stack, fleet);
    const rows = [];
    for (const [name, path] of PAGES)
      rows.push([name, ...(await measure(page, `${stack.apiUrl}/operator${path}`))]);
    printTable(
      `Operators' page, ${DEVICES.toLocaleString('en')} devices, ${LOADS} loads each`,
      ['page', 'server p50 ms', 'first paint p50 ms', 'first paint p95 ms'],
      rows,
    );
  } finally {
    await browser.close();
  }
}

/** Makes most devices online; some have missed their contact. */
async function live(stack: BenchStack, { organizationId, deviceToken }: Fleet): Promise<void> {
  await query(
    stack.sql,
    `update device_states set status = case when random() < 0.01 then 'offline' else 'online' end,
       last_contact_at = now(), expected_by = now() + interval '20 hours'
     where organization_id = ?`,
    [organizationId],
  );
  await stack.sql.raw('vacuum analyze device_states');
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
  await page.goto(`${apiUrl}${new URL(url).pathname}${new URL(url).search}`);
  await page.click('button.main');
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
