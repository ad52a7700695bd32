/**
 * For tests over all operations: one valid request for each, and one thing of each kind to name in it. A new
 * operation with a body needs a line in BODIES, a new kind of id one in `populate`.
 */
import { randomUUID } from 'node:crypto';
import type { Route } from '../../src/http/route.ts';
import type { Answer, Client, SendOptions } from './client.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  FACTORY,
  FRIDGE,
  HOT_WATER,
  register,
  sendTemperature,
} from './fleet.ts';
import type { TestOrganization } from './service.ts';

/** One thing of each kind in one organization, by the name of the path parameter. */
export interface Fixtures {
  assetId: string;
  serial: string;
  slug: string;
  jobId: string;
  /** By the first segment of the path. */
  webhookIds: Record<string, string>;
  deliveryIds: Record<string, string>;
  alertId: string;
  /** A serial number that sent without being registered. */
  unregisteredSerial: string;
  channelId: string;
  escalationId: string;
  /** A channel of the escalation. */
  escalationChannelId: string;
  groupId: string;
  keyId: string;
  /** The session of a person at the operators' page. */
  sessionId: string;
}

let count = 0;
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const next = (prefix: string) => `${prefix}-${++count}`;
const PDF = Buffer.from('%PDF-1.4\n%%EOF\n');
/** Nothing listens there. */
const HOOK = { url: 'http://127.0.0.1:9/hooks', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };

const CHANNEL = { type: 'webhook', target: HOOK.url };
const ROLLOUT = { firstPercent: 10, minAppliedPercent: 90, abortFailedPercent: 50 };
const REPLAY = { since: '2026-03-02T08:15:30Z', until: '2026-03-03T08:15:30Z', states: ['failed'] };

/** A valid body for every operation that has one, with as many fields as can be combined. */
const BODIES: Record<string, (fixtures: Fixtures) => object> = {
  createProfile: () => ({ slug: next('profile'), ...HOT_WATER }),
  updateProfile: () => HOT_WATER,
  applyProfile: ({ serial }) => ({
    serialNumbers: [serial],
    deadlineMinutes: 60,
    rollout: ROLLOUT,
  }),
  extendConfigJob: () => ({ deadlineAt: new Date(Date.now() + 7 * 86_400_000).toISOString() }),
  registerAsset: ({ groupId }) => ({
    groupId,
    serialNumber: next('SERIAL'),
    name: 'Cold room',
    waterType: 'automatic',
    floor: 0,
    model: 'TVO-THT',
    buildingId: 'main',
    spaceId: 'kitchen',
  }),
  // The other fields may be null.
  changeAsset: () => ({ name: 'Colder room' }),
  replaceHardware: () => ({ newSerialNumber: next('FRESH') }),
  reportConfig: () => ({
    ...FACTORY,
    configHash: 7,
    errors: [{ code: 3, message: 'no such rule' }],
    reportedAt: '2026-03-02T08:15:30Z',
  }),
  sendMeasurements: () => ({
    readings: [
      { channel: 1, type: 'temperature', value: 4.2, measuredAt: new Date().toISOString() },
      { channel: 2, type: 'humidity', value: 21, measuredAt: '2026-03-02T08:15:30+01:00' },
    ],
    batteryStatus: 'ok',
    signal: 40,
    configHash: 7,
    nextTransmissionAt: '2026-03-02T08:15:30Z',
  }),
  acknowledgeAlert: () => ({ status: 'acknowledged', comment: 'Door closed', assignee: 'Ada' }),
  muteAsset: () => ({ until: inAnHour(), reason: 'Defrosting' }),
  muteGroup: () => ({ until: inAnHour(), reason: 'Defrosting' }),
  commentAlert: () => ({ comment: 'Goods moved' }),
  createCellularWebhook: () => ({ ...HOOK, name: 'Production', deliverConfigApplied: true }),
  updateCellularWebhook: () => ({ name: 'Development', deliverConfigApplied: false }),
  createWebhook: () => ({ ...HOOK, status: 'active', events: ['alert.created'] }),
  updateWebhook: () => ({ status: 'disabled', events: ['alert.created'] }),
  createNotificationChannel: () => ({
    ...CHANNEL,
    name: 'Grace, on call',
    secret: HOOK.secret,
    alertTypes: ['high_temp', 'no_data'],
    groupIds: [],
    delayMinutes: 10,
    reminderMinutes: 60,
    quietHours: { from: '22:00', to: '07:00', timezone: 'Europe/Stockholm' },
    status: 'active',
  }),
  createEscalation: ({ escalationChannelId }) => ({
    name: 'On call',
    alertTypes: ['high_temp', 'no_data'],
    severities: ['critical'],
    groupIds: [],
    steps: [
      { afterMinutes: 0, channelIds: [escalationChannelId] },
      { afterMinutes: 15, channelIds: [escalationChannelId] },
    ],
    repeatMinutes: 30,
    status: 'active',
  }),
  updateEscalation: () => ({ name: 'At night', repeatMinutes: null }),
  createGroup: ({ slug }) => ({ name: next('Group'), profileSlug: slug }),
  updateGroup: ({ slug }) => ({
    name: next('Group'),
    profileSlug: slug,
    deadlineMinutes: 60,
    rollout: ROLLOUT,
  }),
  addGroupMembers: ({ serial }) => ({ serialNumbers: [serial] }),
  removeGroupMembers: ({ serial }) => ({ serialNumbers: [serial] }),
  updateNotificationChannel: () => ({ name: 'On call', delayMinutes: 5, quietHours: null }),
  replayCellularWebhook: () => REPLAY,
  replayWebhook: () => REPLAY,
  rotateCellularWebhookSecret: () => ({ secret: HOOK.secret }),
  rotateWebhookSecret: () => ({ secret: HOOK.secret }),
  // Without expiresAt, which may be null.
  createOperatorLink: () => ({ name: 'Ada Lovelace', role: 'read' }),
  createKey: () => ({ name: 'Facility team', kind: 'customer', role: 'write' }),
};

export const hasExample = ({ body, operationId }: Route): boolean =>
  body === undefined || Object.hasOwn(BODIES, operationId);

export const takesJson = ({ body }: Route): boolean => body !== undefined;

export function exampleBody({ operationId }: Route, fixtures: Fixtures): Record<string, unknown> {
  return (BODIES[operationId]?.(fixtures) ?? {}) as Record<string, unknown>;
}

/** Creates one thing of every kind through the API. */
export async function populate(organization: TestOrganization): Promise<Fixtures> {
  const serial = next('DEVICE');
  const assetId = await register(organization, serial);
  const slug = await createProfile(organization, { slug: next('guard'), ...HOT_WATER });
  const jobId = await apply(organization, slug, { serialNumbers: [serial] });
  const alertId = await populateAlert(organization);
  const channelId = (await organization.api.post('/notification-channels', CHANNEL)).body.id;
  const escalationChannelId = (await organization.api.post('/notification-channels', CHANNEL)).body.id;
  const steps = [{ afterMinutes: 0, channelIds: [escalationChannelId] }];
  const escalationId = (await organization.api.post('/escalations', { name: 'On call', steps })).body.id;
  const groupId = (await organization.api.post('/groups', { name: next('Group') })).body.id;
  await organization.api.post(`/assets/${assetId}/device-token`);
  const { body: key } = await organization.api.post('/keys', { name: 'Reader', role: 'read' });
  const unregisteredSerial = next('STRANGER');
  await organization.device.post(`/devices/${unregisteredSerial}/measurements`, {
    readings: [{ channel: 1, type: 'temperature', value: 4, measuredAt: new Date().toISOString() }],
  });
  return {
    assetId,
    serial,
    slug,
    jobId,
    alertId,
    channelId,
    escalationId,
    escalationChannelId,
    groupId,
    keyId: key.id,
    sessionId: await populateSession(organization),
    unregisteredSerial,
    ...(await populateWebhooks(organization, slug)),
  };
}

/** A job whose second device waits for the first one. */
export async function stagedJob(organization: TestOrganization, slug: string): Promise<string> {
  const serialNumbers = [next('STAGED'), next('STAGED')];
  for (const serial of serialNumbers) await register(organization, serial);
  return apply(organization, slug, { serialNumbers, rollout: { firstPercent: 50 } });
}

/** A fridge that is too warm. */
async function populateAlert(organization: TestOrganization): Promise<string> {
  const serial = next('WARM');
  const assetId = await register(organization, serial);
  const slug = await createProfile(organization, { slug: next('fridge'), ...FRIDGE });
  await apply(organization, slug, { serialNumbers: [serial] });
  await applyAnswer(organization, serial);
  await sendTemperature(organization, serial, 12);
  const { body } = await organization.api.get(`/alerts?assetId=${assetId}`);
  return body.items[0].id;
}

/** Signs a person in to the operators' page, if the service has one. */
async function populateSession({ api }: TestOrganization): Promise<string> {
  const { status, body } = await api.post('/operator-links', { name: 'Grace Hopper', role: 'read' });
  if (status !== 201) return randomUUID();
  const { origin, searchParams } = new URL(body.url);
  const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' };
  await api.post('/operator/sign-in', undefined, { raw: `link=${searchParams.get('link')}`, headers });
  return (await api.get('/operator-sessions')).body.items[0].id;
}

/** An endpoint in each collection, and a delivery for each: by a device that confirmed a change. */
async function populateWebhooks(organization: TestOrganization, slug: string) {
  const { api } = organization;
  const ids = { webhookIds: {} as Record<string, string>, deliveryIds: {} as Record<string, string> };
  for (const collection of ['cellular-webhooks', 'webhooks']) {
    const flag = collection === 'webhooks' ? {} : { deliverConfigApplied: true };
    ids.webhookIds[collection] = (await api.post(`/${collection}`, { url: HOOK.url, ...flag })).body.id;
  }
  const applied = next('APPLIED');
  await register(organization, applied);
  await apply(organization, slug, { serialNumbers: [applied] });
  await applyAnswer(organization, applied);
  for (const [collection, id] of Object.entries(ids.webhookIds)) {
    const { body } = await api.get(`/${collection}/${id}/deliveries`);
    ids.deliveryIds[collection] = body.items[0].id;
  }
  return ids;
}

/** The names of the path's parameters. */
export const slotsOf = ({ path }: Route): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

/**
 * The fixture for one path parameter of the route; a random id for a kind that `populate` does not create.
 */
export function nameFor({ path }: Route, slot: string, fixtures: Fixtures): string {
  const { webhookIds, deliveryIds, unregisteredSerial, ...names } = fixtures;
  const collection = path.split('/')[1] as string;
  const its = {
    webhookId: webhookIds[collection],
    deliveryId: deliveryIds[collection],
    ...(collection === 'unregistered-devices' && { serial: unregisteredSerial }),
  };
  return { ...names, ...its }[slot as keyof typeof its] ?? randomUUID();
}

/** The path parameters for which `populate` creates fixtures. */
export const KNOWN_SLOTS = [
  'assetId',
  'serial',
  'slug',
  'jobId',
  'webhookId',
  'deliveryId',
  'alertId',
  'channelId',
  'escalationId',
  'groupId',
  'keyId',
  'sessionId',
];

/** One of each kind, and a second channel, for the escalation. */
export function namesIn({ webhookIds, deliveryIds, escalationChannelId, ...names }: Fixtures): string[] {
  return [...Object.values(names), ...Object.values(webhookIds), ...Object.values(deliveryIds)];
}

/** Required query parameters of operations. */
const QUERIES: Record<string, string> = {
  getStatistics: '?from=2026-03-02T08:15:30Z&to=2026-03-03T08:15:30Z',
  exportMeasurements: '?from=2026-01-01T00:00:00Z&to=2036-01-01T00:00:00Z&all=true',
};

/**
 * The route's path as it is sent, with its parameters filled in, some of them replaced, and its required
 * query.
 */
export function pathOf(route: Route, fixtures: Fixtures, replaced: Record<string, string> = {}): string {
  const path = route.path.replace(
    /\{(\w+)\}/g,
    (_, slot) => replaced[slot] ?? nameFor(route, slot, fixtures),
  );
  return path + (QUERIES[route.operationId] ?? '');
}

export interface Change {
  path?: string;
  body?: unknown;
  options?: SendOptions;
  client?: Client;
}

/** Sends the valid request of the route, with the changes. */
export function call(
  organization: TestOrganization,
  route: Route,
  fixtures: Fixtures,
  change: Change = {},
): Promise<Answer> {
  const client = change.client ?? organization[route.auth === 'device' ? 'device' : 'api'];
  const path = change.path ?? pathOf(route, fixtures);
  if (route.rawBody && !('body' in change) && change.options?.raw === undefined) {
    const headers = { 'content-type': route.rawBody.contentType, ...change.options?.headers };
    return client.send(route.method, path, undefined, { raw: route.rawBody.example ?? PDF, headers });
  }
  const example = takesJson(route) ? exampleBody(route, fixtures) : undefined;
  const body = 'body' in change ? change.body : example;
  return client.send(route.method, path, body, change.options);
}

/** These change or remove things that other requests name, so they come last, and the asset at the very end. */
const LATE = [/cancel|withdraw|device-token|PATCH|DELETE/, /replace-hardware$/, /^DELETE .assets.[^/]+$/];

/** The routes in an order in which each finds what it names. */
export function removingLast(routes: readonly Route[]): Route[] {
  const rank = ({ method, path }: Route) => LATE.findLastIndex((each) => each.test(`${method} ${path}`));
  return routes.toSorted((a, b) => rank(a) - rank(b));
}

/** Runs the check for the routes, and fails with all operations for which it fails. */
export async function forEvery(routes: Route[], check: (route: Route) => Promise<void>): Promise<void> {
  const faults: string[] = [];
  for (const route of routes) {
    await check(route).catch((error) => faults.push(`${route.operationId}: ${(error as Error).message}`));
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
}
