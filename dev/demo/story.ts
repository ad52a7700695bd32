/** The steps of the demo, in order. It prints observed facts, and ends when an outcome does not occur. */
import type { Client, Result } from '../../client/src/index.ts';
import type { WebhookReceiver } from '../receiver/webhook-receiver.ts';
import { createFleet, type Fleet } from '../simulator/fleet.ts';
import { DidNotHappen, until } from './observe.ts';

type Asset = Pick<Result<'getAsset'>, 'id' | 'serialNumber'>;
type Delivery = Result<'getWebhookDelivery'>;

export interface StoryContext {
  api: Client;
  receiver: WebhookReceiver;
  secret: string;
  coapUrl: string;
  deviceToken: string;
  /** Hex digits of this run, which make its serials and names unique. */
  run: string;
  print(line: string): void;
  onStop(stop: () => Promise<unknown>): void;
}

export interface StoryResult {
  jobId: string;
  profileSlug: string;
  webhookId: string;
  openedAsset: Asset;
  muteAsset: Asset;
}

const TRANSMITTING = 6;
const SPEED = 60;
/** In real time a sample every second and a frame every five seconds, all confirmable. */
const FACTORY = { measurementSeconds: 60, transmissionSeconds: 300, ackIntervalSeconds: null };
const INTERVALS = { measurementIntervalMinutes: 1, transmissionIntervalSeconds: 240 };
/** Long enough to show that a device has fetched the change and not confirmed it yet. */
const REPORT_AFTER_MS = 1_500;
const DEVICES_MS = 30_000;
const APPLIED_MS = 45_000;
const ALERT_MS = 60_000;
const DELIVERED_MS = 60_000;
const RESOLVED_MS = 60_000;

export async function runStory(context: StoryContext): Promise<StoryResult> {
  const { fleet, assets } = await devicesAppear(context);
  const webhookId = await receiverIsThere(context);
  const { jobId, profileSlug } = await profileIsApplied(context, assets);
  const openedAsset = assets[0] as Asset;
  await fridgeWarmsUp(context, fleet, openedAsset);
  await alertArrives(context, webhookId);
  await fridgeCoolsDown(context, fleet, openedAsset);
  const muteAsset = assets.at(-1) as Asset;
  await muteDeviceIsWaitedFor(context, jobId, muteAsset);
  return { jobId, profileSlug, webhookId, openedAsset, muteAsset };
}

async function devicesAppear(context: StoryContext): Promise<{ fleet: Fleet; assets: Asset[] }> {
  const { api, print, coapUrl, deviceToken, run } = context;
  print('\n1. Seven fridges are registered. Six have a logger that works; the seventh never transmits.');
  const fleet = createFleet({
    devices: TRANSMITTING + 1,
    mute: 1,
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
  context.onStop(fleet.stop);
  const serials = [...fleet.serials, ...fleet.muteSerials];
  const assets: Asset[] = [];
  for (const serialNumber of serials) {
    const name = `Demo fridge ${serialNumber.slice(-2)}`;
    const { id } = await api.registerAsset({ body: { serialNumber, name } });
    assets.push({ id, serialNumber });
  }
  await fleet.start();
  await until({
    what: 'frames of all six loggers over CoAP',
    withinMs: DEVICES_MS,
    read: async () => {
      const seen = await Promise.all(assets.map(({ id }) => api.getAsset({ assetId: id })));
      return seen.map(({ status }) => status);
    },
    holds: (statuses) => statuses.filter((status) => status === 'online').length === TRANSMITTING,
    describe: (statuses) => countsOf(statuses),
    onChange: (text) => print(`   ${text}`),
  });
  return { fleet, assets };
}

async function receiverIsThere({ api, receiver, secret, print, onStop }: StoryContext): Promise<string> {
  print(
    `\n2. A customer's receiver listens at ${receiver.url}. It fails at first: the first two requests get 503.`,
  );
  const body = { url: receiver.url, events: ['alert.created' as const, 'alert.resolved' as const], secret };
  const creating = api.createWebhook({ body });
  // The receiver ends with the demo, also while it is being registered, and the service should not retry for days.
  onStop(async () => {
    const created = await creating.catch(() => null);
    if (created) await api.updateWebhook({ webhookId: created.id, body: { status: 'disabled' } });
  });
  return (await creating).id;
}

async function profileIsApplied(
  { api, run, print }: StoryContext,
  assets: Asset[],
): Promise<{ jobId: string; profileSlug: string }> {
  print(
    '\n3. A profile is written: 2 to 8 °C, hysteresis 0.5. It is applied to all seven; a job waits for each device.',
  );
  const { profile } = await api.createProfile({
    body: {
      slug: `vaccine-fridge-${run.toLowerCase()}`,
      name: 'Vaccine fridge',
      temperatureAlerts: [{ type: 'range', channel: 'probe', lowC: 2, highC: 8, hysteresisC: 0.5 }],
      intervals: INTERVALS,
    },
  });
  const { slug } = profile;
  const serialNumbers = assets.map(({ serialNumber }) => serialNumber);
  const applied = await api.applyProfile({ slug, body: { serialNumbers } });
  // Null only for a dry run.
  const jobId = applied.jobId as string;
  print(
    '   Devices fetch the change with their next frame, run it, and report what they run. Once a device has shown its',
  );
  print('   channels, the rules are compiled for these and offered again, so a count may go back:');
  await until({
    what: `${TRANSMITTING} devices that confirm the profile`,
    withinMs: APPLIED_MS,
    read: () => api.getConfigJob({ jobId }),
    holds: ({ counts }) => counts.applied === TRANSMITTING,
    describe: ({ counts }) => `waiting ${counts.waiting} → sent ${counts.sent} → applied ${counts.applied}`,
    onChange: (text) => print(`   ${text}`),
  });
  return { jobId, profileSlug: profile.slug };
}

async function fridgeWarmsUp({ api, print }: StoryContext, fleet: Fleet, asset: Asset): Promise<void> {
  const device = fleet.device(asset.serialNumber);
  print(`\n4. Somebody leaves the door of ${asset.serialNumber} open.`);
  device?.openDoor();
  let shown = Number.NaN;
  await until({
    what: 'an alert of a fridge above 8 °C',
    withinMs: ALERT_MS,
    read: () => findAlert(api, asset),
    holds: (alert) => alert !== undefined,
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

async function alertArrives({ api, receiver, print }: StoryContext, webhookId: string): Promise<void> {
  print('\n5. The alert goes to the receiver, which fails; the service tries again, with growing waits.');
  await until({
    what: 'the alert at the receiver, after retries',
    withinMs: DELIVERED_MS,
    read: () => findDelivery(api, webhookId),
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

async function fridgeCoolsDown(
  { api, receiver, print }: StoryContext,
  fleet: Fleet,
  asset: Asset,
): Promise<void> {
  print('\n6. The door is shut again.');
  fleet.device(asset.serialNumber)?.closeDoor();
  await until({
    what: 'the end of the alert',
    withinMs: RESOLVED_MS,
    read: () => findAlert(api, asset),
    holds: (alert) => alert?.status === 'resolved',
    describe: (alert) => `the alert is ${alert?.status}`,
    onChange: (text) => print(`   ${text}`),
  });
  await until({
    what: 'alert.resolved at the receiver',
    withinMs: DELIVERED_MS,
    read: () =>
      receiver.received.some(({ type, statusCode }) => type === 'alert.resolved' && statusCode < 300),
    holds: Boolean,
  });
  print('   alert.resolved has arrived at the receiver.');
}

async function muteDeviceIsWaitedFor(
  { api, print }: StoryContext,
  jobId: string,
  mute: Asset,
): Promise<void> {
  print('\n7. And the fridge that never transmits?');
  const { items } = await api.listConfigJobTargets({ jobId, state: 'waiting' });
  const { status, deadlineAt } = await api.getConfigJob({ jobId });
  const serials = items.map(({ serialNumber }) => serialNumber);
  if (!serials.includes(mute.serialNumber)) {
    throw new DidNotHappen(`The job does not wait for ${mute.serialNumber}, as it should.`);
  }
  print(`   The job is ${status} until ${deadlineAt}; it waits for ${serials.join(', ')}.`);
}

async function findAlert(api: Client, { id: assetId }: Asset) {
  const { items } = await api.listAlerts({ assetId, type: 'high_temp' });
  return items[0];
}

/** That of the alert, with its attempts. */
async function findDelivery(api: Client, webhookId: string): Promise<Delivery | undefined> {
  const { items } = await api.listWebhookDeliveries({ webhookId, eventType: 'alert.created' });
  return items[0] && api.getWebhookDelivery({ webhookId, deliveryId: items[0].id });
}

/** `new 5, online 2` */
function countsOf(statuses: string[]): string {
  const kinds = [...new Set(statuses)].sort();
  return kinds.map((kind) => `${kind} ${statuses.filter((each) => each === kind).length}`).join(', ');
}

const attemptText = ({ number, statusCode, error }: Delivery['attempts'][number]) =>
  `${number} → ${statusCode ?? error}`;
