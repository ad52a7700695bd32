/** There is a way from the start page to every form. */
import assert from 'node:assert/strict';
import { FORMS, type FormName, toFormUrl } from '../../src/operator/forms.ts';
import { HOUR_MS } from '../../src/process/durations.ts';
import { createProfile, FACTORY, FRIDGE, refuse, register } from '../support/fleet.ts';
import { useReceiver } from '../support/receiver.ts';
import { type TestService, useService } from '../support/service.ts';
import { populateFleet } from './fleet-to-look-at.ts';
import { signIn, visit } from './visitor.ts';

/** Forms of a state into which only a mail server brings a channel. */
const SELDOM = { confirmNotificationChannelAgain: true };
const PAGES_MAX = 400;
/** Things in several states are offered different actions. */
const OF_A_SHAPE = 6;

describe("The operators' page", () => {
  const receiver = useReceiver();
  const dms = useService({ withWorker: false });
  let cookie: string;

  before(async () => {
    cookie = await signIn(dms);
    await populateFleet(dms, { receiver, devices: 4 });
    await bringIntoEveryState(dms);
  });

  /** Addresses that links and forms name, from the start page on, some of each shape. Nothing is sent. */
  async function crawl(): Promise<Set<string>> {
    const found = new Set(['/operator']);
    const shapes: string[] = [];
    for (const address of found) {
      const shape = address.replace(/[0-9a-f-]{36}/g, 'ID').replace(/=[^&]*/g, '=');
      if (
        shapes.filter((each) => each === shape).length >= OF_A_SHAPE ||
        /\.pdf|sign-out|static|\/file/.test(address)
      )
        continue;
      shapes.push(shape);
      assert.ok(shapes.length < PAGES_MAX, 'the pages have no end');
      const { status, text, headers } = await visit(dms.baseUrl + address, { cookie });
      if (status === 405) continue;
      if (status === 303) {
        found.add(headers.get('location') ?? '');
        continue;
      }
      assert.equal(status, 200, `${address}: ${text}`);
      for (const [, link = ''] of text.matchAll(/(?:href|action)="(\/operator[^"#]*)/g))
        found.add(link.replaceAll('&amp;', '&'));
    }
    return found;
  }

  it('links every form from a page to which the start page leads, and answers every link', async () => {
    const paths = [...(await crawl())].map((address) => address.split('?')[0]);
    const lost = (Object.keys(FORMS) as FormName[]).filter(
      (name) => !paths.includes(toFormUrl(name)) && !(name in SELDOM),
    );
    assert.deepEqual(lost, []);
  });
});

/** So that each action is offered somewhere. */
async function bringIntoEveryState(dms: TestService): Promise<void> {
  const { api, device } = dms;
  const until = new Date(Date.now() + HOUR_MS).toISOString();
  const [named, muted] = await Promise.all(
    ['Cold rooms', 'Freezers'].map(async (name) => (await api.post('/groups', { name })).body.id),
  );
  await api.post(`/groups/${named}/add-members`, { serialNumbers: ['282C02424E00'] });
  await api.post(`/groups/${muted}/mute`, { until, reason: 'Defrosting' });
  await api.post(`/assets/${await register(dms, 'MUTED')}/mute`, { until, reason: 'Defrosting' });
  const warm = { channel: 'probe', type: 'temperature', value: 15, measuredAt: new Date().toISOString() };
  // Of two alerts, one stays new.
  await device.post('/devices/282C02424E00/measurements', { readings: [warm], batteryStatus: 'low' });
  const [{ id: alertId }] = (await api.get('/alerts?type=high_temp&status=new')).body.items;
  await api.patch(`/alerts/${alertId}`, { status: 'acknowledged', snoozeUntil: until });
  await device.post('/devices/282C02424EFF/config-reports', FACTORY);
  await refuse(dms, '282C02424E00');
  const paused = {
    url: 'http://127.0.0.1:9/paused',
    status: 'disabled',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  };
  await api.post('/webhooks', paused);
  await api.post('/cellular-webhooks', paused);
  const { items: channels } = (await api.get('/notification-channels')).body;
  const rollout = { firstPercent: 1, minAppliedPercent: 100, abortFailedPercent: 50 };
  const slug = await createProfile(dms, { ...FRIDGE, slug: 'in-stages' });
  await api.put(`/devices/config-profiles/${slug}/apply`, { applyToAll: true, rollout });
  const steps = [{ afterMinutes: 15, channelIds: [channels[0].id] }];
  await api.post('/escalations', { name: 'On call', steps });
}
