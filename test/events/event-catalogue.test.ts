/** Receivers get events exactly as the catalogue describes them. */
import assert from 'node:assert/strict';

import type { DomainEvent, EventBody, EventType } from '../../src/db/domain-event.ts';
import { serializeEvent } from '../../src/events/event.ts';
import { EVENT_CATALOGUE, SUBSCRIBABLE_TYPES } from '../../src/events/event-catalogue.schemas.ts';
import { newDevice } from '../notifications/harness.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  eventually,
  FACTORY,
  FRIDGE,
  refuse,
  register,
  registerMany,
  report,
  sendTemperature,
} from '../support/fleet.ts';
import { startReceiver, useReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';
import { validateEventBody } from '../support/validate-events.ts';

const TYPES = Object.keys(EVENT_CATALOGUE) as EventType[];
const AN_HOUR_MS = 3_600_000;

const exampleOf = (type: EventType) =>
  serializeEvent({ type, timestamp: new Date(0), data: EVENT_CATALOGUE[type].example } as EventBody);

describe('The catalogue of events', () => {
  it('contains a valid example for every type', () => {
    for (const type of TYPES) validateEventBody(exampleOf(type));
  });

  it('fits no event of an unknown type, or with an unknown, missing or invalid field', () => {
    const { data, ...envelope } = JSON.parse(exampleOf('device.online'));
    const { name, ...nameless } = data;
    const isRefused = (body: object, message: RegExp) =>
      assert.throws(() => validateEventBody(JSON.stringify(body)), { message });
    isRefused({ ...envelope, data, type: 'device.onlin' }, /no event device\.onlin/);
    isRefused({ ...envelope, data: { ...data, secret: 'x' } }, /"data\.secret" is not allowed/);
    isRefused({ ...envelope, data: nameless }, /"data\.name" is required/);
    isRefused({ ...envelope, data: { ...data, floor: '0' } }, /"data\.floor" must be a number/);
    isRefused({ ...envelope, data, timestamp: 'now' }, /"timestamp" must be in iso format/);
  });

  it('lets event webhooks subscribe to every type but whole frames, tests and notifications', () => {
    const others = TYPES.filter((type) => !SUBSCRIBABLE_TYPES.some((each) => each === type));
    assert.deepEqual(others, ['data.measurement', 'notification', 'webhook.test']);
  });
});

describe('Publishing', () => {
  const envelope = { organizationId: 'o', timestamp: new Date(0) };

  it('compiles only with a type of the catalogue and the data of that type', () => {
    const { example } = EVENT_CATALOGUE['alert.created'];
    const events: DomainEvent[] = [
      { ...envelope, type: 'alert.created', data: example },
      // @ts-expect-error: no such type
      { ...envelope, type: 'alert.creatd', data: example },
      // @ts-expect-error: the data of another type
      { ...envelope, type: 'device.online', data: example },
    ];
    assert.equal(events.length, 3);
  });
});

describe('The service', () => {
  const receiver = useReceiver();
  const dms = useService({ now: () => new Date(Date.now() + aheadMs) });
  let webhookId: string;
  let aheadMs = 0;

  before(async () => {
    const endpoint = { url: receiver.url, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
    await dms.api.post('/cellular-webhooks', endpoint);
    webhookId = (await dms.api.post('/webhooks', endpoint)).body.id;
  });

  const until = (...types: EventType[]) =>
    eventually(
      async () => receiver.received.map(({ event }) => event.type),
      (seen) => types.every((type) => seen.includes(type)),
    );

  it('delivers events of every type in the catalogue, each as described there', async () => {
    const serial = '282C02424EED';
    await register(dms, serial);
    const slug = await createProfile(dms, FRIDGE);
    await apply(dms, slug, { serialNumbers: [serial] });
    await dms.api.post('/notification-channels', { type: 'webhook', target: receiver.url });
    await (await newDevice(dms, 'Low battery'))('low');
    await until('notification');
    await refuse(dms, serial);
    await until('config.failed', 'config.job.finished');
    await apply(dms, slug, { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    await sendTemperature(dms, serial, 20);
    const [alert] = (await dms.api.get('/alerts?type=high_temp')).body.items;
    await dms.api.patch(`/alerts/${alert.id}`, { status: 'acknowledged' });
    await sendTemperature(dms, serial, 5);
    aheadMs = 9 * AN_HOUR_MS;
    await until('device.offline');
    await sendTemperature(dms, serial, 5, new Date(Date.now() + aheadMs));
    const serials = await registerMany(dms, 25);
    await Promise.all(serials.map((each) => report(dms, each, FACTORY)));
    await Promise.all(serials.map((each) => sendTemperature(dms, each, 5, new Date(Date.now() + aheadMs))));
    aheadMs += 9 * AN_HOUR_MS;
    await until('fleet.silent');
    const gone = await startReceiver();
    gone.answer((response) => response.writeHead(410).end());
    await dms.api.post('/webhooks', { url: gone.url, events: ['alert.created', 'webhook.disabled'] });
    await register(dms, '282C02424EEE');
    await apply(dms, slug, { serialNumbers: ['282C02424EEE'] });
    await applyAnswer(dms, '282C02424EEE');
    await sendTemperature(dms, '282C02424EEE', 20, new Date(Date.now() + aheadMs));
    await until('webhook.disabled');
    await gone.stop();
    await dms.api.post(`/webhooks/${webhookId}/test`);
    const seen = await until(...TYPES);
    assert.deepEqual([...new Set(seen)].sort(), [...TYPES].sort());
  });

  it('sends every documented webhook header and no other', async () => {
    const { components } = (await dms.api.get('/openapi.json')).body;
    const documented = Object.values<{ name: string }>(components.parameters).map(({ name }) => name);
    await dms.api.post(`/webhooks/${webhookId}/test`);
    const test = receiver.received.findLast(({ event }) => event.type === 'webhook.test');
    const sent = Object.keys(test?.headers ?? {}).filter((name) => name.startsWith('webhook-'));
    assert.deepEqual(sent.sort(), documented.sort());
  });
});
