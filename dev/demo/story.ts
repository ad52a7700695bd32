/** What the demo tells, in order. Every sentence in the past was seen; what does not come ends it in plain words. */

import type { WebhookReceiver } from '../receiver/webhook-receiver.ts';
import { createFleet, type Fleet } from '../simulator/fleet.ts';
import type { Alert, Asset, Delivery, DemoApi, Job } from './demo-api.ts';
import { DidNotHappen, until } from './observe.ts';

export interface Stage {
  api: DemoApi;
  receiver: WebhookReceiver;
  secret: string;
  coapUrl: string;
  deviceToken: string;
  /** Hex digits of this run: serials and names are fresh. */
  run: string;
  print(line: string): void;
  onStop(stop: () => Promise<unknown>): void;
}

export interface Told {
  jobId: string;
  profileSlug: string;
  webhookId: string;
  openedAsset: Asset;
  silentAsset: Asset;
}

const SPEAKING = 6;
const SPEED = 60;
/** A sample each second, a frame each five, all confirmable: a fleet on fast forward. */
const FACTORY = { measurementSeconds: 60, transmissionSeconds: 300, ackIntervalSeconds: null };
const INTERVALS = { measurementIntervalMinutes: 1, transmissionIntervalSeconds: 240 };
/** Long enough to see that a device has fetched the change and not confirmed it yet. */
const REPORT_AFTER_MS = 1_500;
const DEVICES_MS = 30_000;
const APPLIED_MS = 45_000;
const ALERT_MS = 60_000;
const DELIVERED_MS = 60_000;
const RESOLVED_MS = 60_000;

export async function tell(stage: Stage): Promise<Told> {
  const { fleet, assets } = await devicesAppear(stage);
  const webhookId = await receiverIsThere(stage);
  const { jobId, profileSlug } = await profileIsApplied(stage, assets);
  const openedAsset = assets[0] as Asset;
  await fridgeWarmsUp(stage, fleet, openedAsset);
  await alertArrives(stage, webhookId);
  await fridgeCoolsDown(stage, fleet, openedAsset);
  const silentAsset = assets.at(-1) as Asset;
  await silentDeviceWaits(stage, jobId, silentAsset);
  return { jobId, profileSlug, webhookId, openedAsset, silentAsset };
}

async function devicesAppear(stage: Stage): Promise<{ fleet: Fleet; assets: Asset[] }> {
  const { api, print, coapUrl, deviceToken, run } = stage;
  print('\n1. Seven fridges are registered. Six have a logger that works; the seventh never says a word.');
  const fleet = createFleet({
    devices: SPEAKING + 1,
    silent: 1,
    transport: 'coap',
    coapUrl,
    deviceToken,
    prefix: `282C${run}`,
    speed: SPEED,
    factory: FACTORY,
    bootWithinMs: 1_500,
    reportAfterMs: REPORT_AFTER_MS,
    seed: Number.parseInt(run, 16) % 10_000,
  });
  stage.onStop(fleet.stop);
  const serials = [...fleet.serials, ...fleet.silentSerials];
  const assets: Asset[] = [];
  for (const serial of serials) assets.push(await api.register(serial, `Vaccine fridge ${serial.slice(-2)}`));
  await fleet.start();
  await until({
    what: 'frames of all six loggers over CoAP',
    withinMs: DEVICES_MS,
    look: async () => (await Promise.all(assets.map(({ id }) => api.asset(id)))).map(({ status }) => status),
    holds: (statuses) => statuses.filter((status) => status === 'online').length === SPEAKING,
    describe: (statuses) => countsOf(statuses),
    onChange: (text) => print(`   ${text}`),
  });
  return { fleet, assets };
}

async function receiverIsThere({ api, receiver, secret, print }: Stage): Promise<string> {
  print(
    `\n2. A customer's receiver listens at ${receiver.url}. It is having a bad day: the first requests get 503.`,
  );
  const { id } = await api.createWebhook(receiver.url, ['alert.created', 'alert.resolved'], secret);
  return id;
}

async function profileIsApplied(
  { api, run, print }: Stage,
  assets: Asset[],
): Promise<{ jobId: string; profileSlug: string }> {
  print(
    '\n3. A profile is written: 2 to 8 °C, hysteresis 0.5. It is applied to all seven; a job waits for each device.',
  );
  const { profile } = await api.createProfile({
    slug: `vaccine-fridge-${run.toLowerCase()}`,
    name: 'Vaccine fridge',
    temperatureAlerts: [{ type: 'range', channel: 'probe', lowC: 2, highC: 8, hysteresisC: 0.5 }],
    intervals: INTERVALS,
  });
  const { jobId } = await api.apply(
    profile.slug,
    assets.map(({ serialNumber }) => serialNumber),
  );
  print('   Devices fetch the change with their next frame, run it, and report what they run:');
  await until<Job>({
    what: `${SPEAKING} devices that confirm the profile`,
    withinMs: APPLIED_MS,
    look: () => api.job(jobId),
    holds: ({ counts }) => counts.applied === SPEAKING,
    describe: ({ counts }) => `waiting ${counts.waiting} → sent ${counts.sent} → applied ${counts.applied}`,
    onChange: (text) => print(`   ${text}`),
  });
  return { jobId, profileSlug: profile.slug };
}

async function fridgeWarmsUp({ api, print }: Stage, fleet: Fleet, asset: Asset): Promise<void> {
  const device = fleet.device(asset.serialNumber);
  print(`\n4. Somebody leaves the door of ${asset.serialNumber} open.`);
  device?.openDoor();
  let shown = Number.NaN;
  await until<Alert | null>({
    what: 'an alert of a fridge above 8 °C',
    withinMs: ALERT_MS,
    look: () => api.alertOf(asset.id),
    holds: (alert) => alert !== null,
    describe(alert) {
      if (alert)
        return `the device reported at once, and an alert is open: ${alert.type} at ${alert.details.value} °C`;
      const celsius = Math.floor(device?.temperatureC() ?? 0);
      shown = Number.isNaN(shown) || celsius > shown ? celsius : shown;
      return `inside it is ${shown} °C and more`;
    },
    onChange: (text) => print(`   ${text}`),
  });
}

async function alertArrives({ api, receiver, print }: Stage, webhookId: string): Promise<void> {
  print('\n5. The alert goes to the receiver, which fails; the service tries again, with growing waits.');
  await until<Delivery | null>({
    what: 'the alert at the receiver, after retries',
    withinMs: DELIVERED_MS,
    look: () => api.delivery(webhookId, 'alert.created'),
    holds: (seen) => seen?.state === 'delivered',
    describe: (seen) => (seen ? `${seen.state}, attempts: ${seen.attempts.map(attemptText).join(', ')}` : ''),
    onChange: (text) => print(`   ${text}`),
  });
  const got = receiver.received.filter(({ id, type }) => type === 'alert.created' && id !== '');
  const ids = new Set(got.map(({ id }) => id));
  print(
    `   The receiver got it ${got.length} times, ${ids.size === 1 ? 'always with the same webhook-id' : `with ${ids.size} webhook-ids`}; its signature is ${got.at(-1)?.signature}.`,
  );
}

async function fridgeCoolsDown({ api, receiver, print }: Stage, fleet: Fleet, asset: Asset): Promise<void> {
  print('\n6. The door is shut again.');
  fleet.device(asset.serialNumber)?.closeDoor();
  await until<Alert | null>({
    what: 'the end of the alert',
    withinMs: RESOLVED_MS,
    look: () => api.alertOf(asset.id),
    holds: (alert) => alert?.status === 'resolved',
    describe: (alert) => `the alert is ${alert?.status}`,
    onChange: (text) => print(`   ${text}`),
  });
  await until({
    what: 'alert.resolved at the receiver',
    withinMs: DELIVERED_MS,
    look: () =>
      receiver.received.some(({ type, statusCode }) => type === 'alert.resolved' && statusCode < 300),
    holds: Boolean,
  });
  print('   and alert.resolved is with the receiver.');
}

async function silentDeviceWaits({ api, print }: Stage, jobId: string, silent: Asset): Promise<void> {
  print('\n7. And the fridge that never answers?');
  const [waiting, { status, deadlineAt }] = [await api.waitingTargets(jobId), await api.job(jobId)];
  const serials = waiting.map(({ serialNumber }) => serialNumber);
  if (!serials.includes(silent.serialNumber)) {
    throw new DidNotHappen(`The job does not wait for ${silent.serialNumber}, as it should.`);
  }
  print(`   The job is ${status} until ${deadlineAt}; it waits for ${serials.join(', ')}.`);
}

/** `new 5, online 2` */
function countsOf(statuses: string[]): string {
  const kinds = [...new Set(statuses)].sort();
  return kinds.map((kind) => `${kind} ${statuses.filter((each) => each === kind).length}`).join(', ');
}

const attemptText = ({ number, statusCode, error }: Delivery['attempts'][number]) =>
  `${number} → ${statusCode ?? error}`;
