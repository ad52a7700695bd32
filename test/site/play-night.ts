/**
 * `npm run night`: plays the night of docs/a-night.md in real time, with the whole service, a simulated
 * logger in a cold store, a mail server and a browser, and writes what each of them shows to docs/images and
 * to the console. It takes about an hour: the door opens at the next full hour, or in MINUTES if that is
 * given.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type LocalInstance, readLocalInstance } from '../../dev/local/local-instance.ts';
import { startEverything } from '../../dev/local/start-everything.ts';
import { readStartSettings } from '../../dev/local/start-settings.ts';
import { createFleet } from '../../dev/simulator/fleet.ts';
import { openDatabase } from '../../src/db/database.ts';
import { toLink } from '../../src/operator/session.ts';
import { createSessionsRepository } from '../../src/operator/sessions.repository.ts';
import { createLinkIssuer } from '../../src/operator/sessions.service.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/process/durations.ts';
import {
  linkIn,
  startMailServer,
  startMessageReceiver,
  type TestMailServer,
} from '../notifications/harness.ts';
import { findChromium, signInAt, startBrowser } from '../support/browser.ts';
import { type Client, createClient } from '../support/client.ts';
import { eventually } from '../support/fleet.ts';

/** Time for the curve before the door opens. */
const QUIET_MS = 8 * MINUTE_MS;
const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const PATIENCE = { timeoutMs: 20 * MINUTE_MS, pauseMs: 1_000 };
const SIZE = { width: 1180, height: 760 };
const ADA = 'ada@example.com';
const GRACE = 'grace@example.com';

const say = (line: string) =>
  void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);

const stops: Array<() => Promise<unknown>> = [];

async function playNight(executable: string): Promise<void> {
  const mail = await startMailServer();
  stops.push(mail.stop);
  const webhook = await startMessageReceiver();
  stops.push(webhook.stop);
  const local = await startService(mail.smtp?.url ?? '');
  const api = createClient(local.baseUrl, local.apiKey);
  const people = { ada: await newPerson(api, mail, ADA), grace: await newPerson(api, mail, GRACE) };
  await post(api, '/webhooks', {
    url: webhook.url,
    events: ['alert.created', 'alert.acknowledged', 'alert.resolved'],
  });
  await post(api, '/escalations', {
    name: 'Cold store, at night',
    severities: ['critical'],
    steps: [
      { afterMinutes: 0, channelIds: [people.ada] },
      { afterMinutes: 8, channelIds: [people.grace] },
    ],
    repeatMinutes: 15,
  });

  const fleet = createFleet({
    devices: 3,
    transport: 'coap',
    coapUrl: local.coapUrl,
    deviceToken: local.deviceToken,
    prefix: '282C0242',
    factory: { measurementSeconds: 60, transmissionSeconds: 60, ackIntervalSeconds: 60 },
    seed: 7,
  });
  stops.push(fleet.stop);
  const [serial = ''] = fleet.serials;
  const names = ['Cold store', 'Milk fridge', 'Counter'];
  for (const [index, each] of fleet.serials.entries())
    await post(api, '/assets', { serialNumber: each, name: names[index] });
  await post(api, '/devices/config-profiles', {
    slug: 'cold-store',
    name: 'Cold store',
    temperatureAlerts: [
      {
        type: 'range',
        channel: 'probe',
        lowC: 2,
        highC: 8,
        hysteresisC: 0.5,
        delayMinutes: 4,
        severity: 'critical',
      },
    ],
    intervals: { measurementIntervalMinutes: 1 },
  });
  await fleet.start();
  await post(api, '/devices/config-profiles/cold-store/apply', { serialNumbers: fleet.serials }, 'put');
  const { id: assetId } = (await api.get(`/assets?serialNumber=${serial}`)).body.items[0];

  const doorAt = nextDoor();
  say(`The door opens at ${new Date(doorAt).toISOString()}`);
  await delay(doorAt - Date.now());
  fleet.device(serial)?.openDoor();
  say('The door of the cold store is left open.');

  const browser = await startBrowser(executable);
  stops.push(() => browser.close());
  const context = await browser.newContext({ viewport: SIZE, deviceScaleFactor: 1 });
  const page = await context.newPage();
  await signInAt(page, await linkFor('Grace', local));
  const picture = async (name: string, url: string, isWhole = false) => {
    await page.goto(url);
    // Scripts draw Temporal's pages, which hide the description of a run behind a tab.
    await delay(3_000);
    if (url.includes('/workflows/')) await page.getByText('User Metadata').first().click();
    await delay(1_000);
    await page.screenshot({ path: join(IMAGES, `night-${name}.png`), fullPage: isWhole });
    say(`docs/images/night-${name}.png`);
  };

  const alert = await eventually(
    async () => (await api.get(`/alerts?assetId=${assetId}&status=new`)).body.items[0],
    (found) => found !== undefined,
    PATIENCE,
  );
  say(`The alert: ${JSON.stringify(alert)}`);
  const alertPage = `${local.baseUrl}/operator/alerts/${alert.id}`;
  await mailTo(mail, ADA, 'Escalation');
  await picture('alert', alertPage);
  await mailTo(mail, GRACE, 'Escalation');
  await delay(MINUTE_MS);
  await page.goto(alertPage);
  await page.getByRole('link', { name: 'Acknowledge' }).click();
  await page.fill('input[name="assignee"]', 'Grace');
  await page.fill('input[name="comment"]', 'The door of the cold store was open. Shut, goods are fine.');
  await page.getByRole('button', { name: 'Acknowledge' }).first().click();
  fleet.device(serial)?.closeDoor();
  say('Grace has acknowledged it, and shuts the door.');
  await picture('acknowledged', alertPage, true);
  await page.setViewportSize({ ...SIZE, height: 940 });
  await picture('temporal', temporalPage(local.temporalUi, alert.id));
  await page.setViewportSize(SIZE);
  await eventually(
    async () => (await api.get(`/alerts/${alert.id}`)).body.status,
    (status) => status === 'resolved',
    { ...PATIENCE, timeoutMs: HOUR_MS },
  );
  await delay(2 * MINUTE_MS);
  await picture('device', `${local.baseUrl}/operator/devices/${assetId}`);
  const span = `from=${new Date(doorAt - QUIET_MS).toISOString()}&to=${new Date().toISOString()}`;
  const pdf = await api.get(`/assets/${assetId}/statistics?${span}&timezone=America/Sao_Paulo`, {
    headers: { accept: 'application/pdf' },
  });
  writePdf(pdf.bytes);
  say(`History: ${JSON.stringify((await api.get(`/alerts/${alert.id}`)).body, null, 1)}`);
  say(
    `Statistics: ${JSON.stringify((await api.get(`/assets/${assetId}/statistics?${span}`)).body, null, 1)}`,
  );
  say(`Audit: ${JSON.stringify((await api.get('/audit?limit=4')).body.items, null, 1)}`);
  for (const { to, source } of mail.mails) say(`Mail to ${to}:\n${source}`);
  for (const { body } of webhook.received) say(`Webhook: ${body}`);
}

function nextDoor(): number {
  const minutes = process.env.MINUTES;
  if (minutes !== undefined) return Date.now() + Number(minutes) * MINUTE_MS;
  return Math.ceil((Date.now() + QUIET_MS) / HOUR_MS) * HOUR_MS;
}

async function startService(smtpUrl: string) {
  const dataDir = mkdtempSync(join(tmpdir(), 'dms-night-'));
  const lines: string[] = [];
  const env = {
    ...process.env,
    DATA_DIR: dataDir,
    PORT: '0',
    COAP_PORT: '0',
    METRICS_PORT: '0',
    SMTP_URL: smtpUrl,
    SMTP_FROM: 'Monitoring <alerts@example.com>',
  };
  await startEverything({
    start: readStartSettings(env),
    print: (line) => void lines.push(line),
    onStop: (stop) => void stops.push(stop),
    onServerExit: () => say('A server has ended.'),
  });
  const local = readLocalInstance(dataDir);
  if (!local) throw new Error(lines.join('\n'));
  return local;
}

/** Signs a person in at the operators' page. */
async function linkFor(name: string, { baseUrl, databaseUrl }: LocalInstance): Promise<string> {
  const sql = openDatabase({
    url: databaseUrl,
    poolSize: 1,
    statementTimeoutMs: 0,
    applicationName: 'night',
  });
  try {
    const [organization] = await sql('organizations').select('id');
    if (!organization) throw new Error('There is no organization');
    const issue = createLinkIssuer({ sessionsIn: createSessionsRepository, now: () => new Date() });
    return toLink(
      baseUrl,
      await issue(sql, { organizationId: organization.id, name, role: 'write', keyId: null }),
    );
  } finally {
    await sql.destroy();
  }
}

/** Creates a channel with a confirmed address; returns its id. */
async function newPerson(api: Client, mail: TestMailServer, target: string): Promise<string> {
  const { id } = await post(api, '/notification-channels', { type: 'email', target });
  const [sent] = await eventually(
    async () =>
      mail.mails.filter(({ to, source }) => to.includes(target) && linkIn({ source } as never) !== ''),
    ({ length }) => length > 0,
  );
  const link = new URL(linkIn(sent as never));
  await fetch(new URL(link.pathname, link), {
    method: 'POST',
    headers: { origin: link.origin },
    body: new URLSearchParams({ token: link.searchParams.get('token') ?? '' }),
  });
  return id;
}

const mailTo = (mail: TestMailServer, address: string, subject: string) =>
  eventually(
    async () => mail.mails.filter(({ to, source }) => to.includes(address) && source.includes(subject)),
    ({ length }) => length > 0,
    PATIENCE,
  );

async function post(api: Client, path: string, body: object, method: 'post' | 'put' = 'post') {
  const answer = await api[method](path, body);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

const temporalPage = (ui: string | null, alertId: string): string =>
  `${ui}/namespaces/default/workflows/escalate-alert:${alertId}`;

function writePdf(bytes: Buffer): void {
  const file = join(mkdtempSync(join(tmpdir(), 'dms-night-')), 'record.pdf');
  writeFileSync(file, bytes);
  execFileSync('pdftoppm', ['-png', '-r', '80', '-singlefile', file, join(IMAGES, 'night-record')]);
  say('docs/images/night-record.png');
}

const chromium = findChromium();
if (chromium === null) throw new Error('Set CHROMIUM_PATH, or install Chromium');
try {
  await playNight(chromium);
} finally {
  for (const stop of stops.reverse()) await stop();
}
