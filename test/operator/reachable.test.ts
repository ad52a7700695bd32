/** There is a way from the start page to every form. */
import assert from 'node:assert/strict';
import { FORMS, type FormName } from '../../src/operator/forms.ts';
import { FACTORY, register, sendTemperature } from '../support/fleet.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startService, type TestService } from '../support/service.ts';
import { populateFleet } from './fleet-to-look-at.ts';
import { signIn, visit } from './visitor.ts';

const PAGES_MAX = 400;
const HOUR_MS = 3_600_000;

describe("The operators' page", () => {
  let dms: TestService;
  let receiver: Receiver;
  let cookie: string;

  before(async () => {
    receiver = await startReceiver();
    dms = await startService({ withWorker: false });
    cookie = await signIn(dms);
    const fleet = await populateFleet(dms, { receiver, devices: 4 });
    await bringIntoEveryState(dms, fleet);
  });
  after(async () => {
    await dms?.stop();
    await receiver?.stop();
  });

  /** Addresses that links and forms name, from the start page on, one of each shape. Nothing is sent. */
  async function crawl(): Promise<Set<string>> {
    const found = new Set(['/operator']);
    const shapes = new Set<string>();
    for (const address of found) {
      const shape = address.replace(/[0-9a-f-]{36}/g, 'ID').replace(/=[^&]*/g, '=');
      if (shapes.has(shape) || /\.pdf|sign-out|static|\/file/.test(address)) continue;
      shapes.add(shape);
      assert.ok(shapes.size < PAGES_MAX, 'the pages have no end');
      const { status, text } = await visit(dms.baseUrl + address, { cookie });
      if (status === 405) continue;
      assert.equal(status, 200, `${address}: ${text}`);
      for (const [, link = ''] of text.matchAll(/(?:href|action)="(\/operator[^"#]*)/g))
        found.add(link.replaceAll('&amp;', '&'));
    }
    return found;
  }

  it('links every form from a page to which the start page leads, and answers every link', async () => {
    const paths = [...(await crawl())].map((address) => address.split('?')[0]);
    const lost = (Object.keys(FORMS) as FormName[]).filter(
      (name) => !paths.some((path) => path === '/operator/apply' || path?.endsWith(`/forms/${name}`)),
    );
    assert.deepEqual(lost, []);
  });
});

/** So that each action is offered somewhere. */
async function bringIntoEveryState(
  dms: TestService,
  { assetId, webhookId }: { assetId: string; webhookId: string },
): Promise<void> {
  const { api, device } = dms;
  const until = new Date(Date.now() + HOUR_MS).toISOString();
  const [named, muted] = await Promise.all(
    ['Cold rooms', 'Freezers'].map(async (name) => (await api.post('/groups', { name })).body.id),
  );
  await api.post(`/groups/${named}/add-members`, { serialNumbers: ['282C02424E00'] });
  await api.post(`/groups/${muted}/mute`, { until, reason: 'Defrosting' });
  await api.post(`/assets/${await register(dms, 'MUTED')}/mute`, { until, reason: 'Defrosting' });
  await sendTemperature(dms, '282C02424E00', 20);
  await device.post('/devices/282C02424EFF/config-reports', FACTORY);
  const refusal = { ...FACTORY, errors: [{ code: 7, message: 'no memory' }] };
  await device.get('/devices/282C02424E00/pending-config');
  await device.post('/devices/282C02424E00/config-reports', refusal);
  const { items: cellular } = (await api.get('/cellular-webhooks')).body;
  await api.post('/webhooks', { url: 'http://127.0.0.1:9/paused', status: 'disabled' });
  await api.post('/cellular-webhooks', { url: 'http://127.0.0.1:9/paused', status: 'disabled' });
  const { items: channels } = (await api.get('/notification-channels')).body;
  const steps = [{ afterMinutes: 15, channelIds: [channels[0].id] }];
  await api.post('/escalations', { name: 'On call', steps });
  void [assetId, webhookId, cellular];
}
