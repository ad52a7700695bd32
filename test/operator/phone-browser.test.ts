/** The operators' page on a phone: the night alert by the link of a mail, and the installed page. */
import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import type { LinkTarget } from '../../src/notifications/alert-link.ts';
import { createAlertLinks } from '../../src/notifications/alert-links.service.ts';
import { createSigner } from '../../src/process/signer.ts';
import { newDevice } from '../notifications/harness.ts';
import { findBarriers } from '../support/barriers.ts';
import { collectComplaints } from '../support/browser.ts';
import { createProfile, register } from '../support/fleet.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import type { TestService } from '../support/service.ts';
import { useOperatorBrowser } from './operator-browser.ts';

const ADDRESS = 'night@example.com';
/** Contrast of 7 to 1, for sunlight, in place of 4.5 to 1. */
const STRONG_CONTRAST = ['color-contrast-enhanced', 'link-in-text-block'];
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

describe("The operators' page on a phone", () => {
  // Nothing listens there, because the tests make the links of mails themselves.
  const smtp = { url: 'smtp://127.0.0.1:9', from: 'alerts@example.com', timeoutMs: 1_000 };
  const shown = useOperatorBrowser({ view: PHONE, settings: async () => ({ smtp }) });
  let dms: TestService;
  let context: BrowserContext;
  let page: Page;

  before(() => {
    ({ dms, context, page } = shown);
  });

  /** A channel whose owner has confirmed the address. */
  async function addChannel(target: string): Promise<string> {
    const { body } = await dms.api.post('/notification-channels', { type: 'email', target });
    await dms.service
      .sql('notification_channels')
      .where({ organization_id: dms.id, id: body.id })
      .update({ is_confirmed: true });
    return body.id;
  }

  /** The link of a mail to the address. */
  function linkTo(target: Omit<LinkTarget, 'organizationId'>, address: string): string {
    const { toUrl } = createAlertLinks({
      signer: createSigner(dms.settings.secretsKeys, 'alert link'),
      baseUrl: dms.baseUrl,
      listActive: async () => [],
      now: () => new Date(),
    });
    return toUrl({ ...target, organizationId: dms.id }, address) ?? '';
  }

  it('acknowledges an alert in two taps from the mail, by day and at night, without signing in', async () => {
    const stranger = await shown.browser.newContext(PHONE);
    stranger.setDefaultTimeout(PATIENCE_MS);
    const page = await stranger.newPage();
    const complaints = collectComplaints(page, dms.baseUrl);
    const channelId = await addChannel(ADDRESS);
    await (await newDevice(dms, 'Blood bank'))('low');
    const [{ id }] = (await dms.api.get('/alerts')).body.items;
    await page.goto(linkTo({ kind: 'alert', id, channelId }, ADDRESS));
    assert.deepEqual(await findBarriers(page), []);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await findBarriers(page, STRONG_CONTRAST), [], colorScheme);
    }
    const button = page.getByRole('button', { name: 'Acknowledge low battery' });
    const box = await button.boundingBox();
    assert.ok(box && box.width > 300 && box.height >= 60, JSON.stringify(box));
    assert.equal(await page.locator('button, input:not([type=hidden])').count(), 1);
    assert.equal((await dms.api.get('/alerts')).body.items[0].status, 'new');
    await button.tap();
    await page.getByText(`Acknowledged by ${ADDRESS} (link in an e-mail)`).waitFor();
    assert.equal((await dms.api.get('/alerts')).body.items[0].status, 'acknowledged');
    assert.deepEqual(await findBarriers(page), []);
    await page.reload();
    await page.getByText('Acknowledged by').waitFor();
    assert.deepEqual([await stranger.cookies(), complaints], [[], []]);
    await stranger.close();
  });

  it('acknowledges one and then all alerts of a mail about several, by day and at night', async () => {
    const address = `many-${ADDRESS}`;
    const channelId = await addChannel(address);
    for (const name of [
      'Fridge 1',
      'Fridge 2 with a name that is longer than the screen of a phone',
      'Fridge 3',
    ])
      await (await newDevice(dms, name))('low');
    const { items } = (await dms.api.get('/alerts?status=new')).body;
    const alerts = items.map(({ id }: { id: string }) => ({ change: 'opened', alert: { id } }));
    const [message] = await dms.service
      .sql('notifications')
      .insert({
        organization_id: dms.id,
        channel_id: channelId,
        content: JSON.stringify({ subject: '', data: { text: '', alerts } }) as never,
        state: 'sent',
        created_at: new Date(),
      })
      .returning('id');
    await page.goto(linkTo({ kind: 'message', id: message?.id ?? '', channelId }, address));
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await findBarriers(page, STRONG_CONTRAST), [], colorScheme);
    }
    await page.getByRole('button', { name: 'Acknowledge low battery of Fridge 1' }).tap();
    await page.getByText('Acknowledged by').waitFor();
    assert.equal((await dms.api.get('/alerts?status=new')).body.items.length, 2);
    await page.getByRole('button', { name: 'Acknowledge all 2' }).tap();
    await page.getByText('Acknowledged by').nth(2).waitFor();
    assert.equal(await page.getByRole('button').count(), 0);
    assert.equal((await dms.api.get('/alerts?status=new')).body.items.length, 0);
  });

  it('ticks a device of the fleet with a finger, beside its name', async () => {
    await createProfile(dms, { slug: 'fridge', temperatureAlerts: [] });
    const name = 'Cold room with a name that is longer than the screen of a phone is wide';
    await register(dms, 'PHONE-1', { name });
    await page.goto(`${dms.baseUrl}/operator/fleet?q=PHONE-1`);
    const tick = page.getByRole('checkbox', { name: `Choose ${name}` });
    await tick.tap();
    assert.equal(await tick.isChecked(), true);
    const [box, link] = await Promise.all([tick, page.locator('a.name')].map((each) => each.boundingBox()));
    assert.ok(box && link && box.x + box.width <= link.x && Math.abs(box.y - link.y) < 44);
  });

  it('stays legible in sunlight and at night', async () => {
    for (const path of ['', '/fleet', '/alerts?status=all', '/channels', '/forms/createEscalation']) {
      await page.goto(`${dms.baseUrl}/operator${path}`);
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await findBarriers(page, STRONG_CONTRAST), [], `${path} in ${colorScheme}`);
      }
    }
  });

  it('can be installed, with icons of both kinds and the colours of day and night', async () => {
    await page.goto(`${dms.baseUrl}/operator`);
    const manifestUrl = await page.evaluate("document.querySelector('link[rel=manifest]').href");
    const session = await context.newCDPSession(page);
    const { url, errors, data } = await session.send('Page.getAppManifest');
    assert.deepEqual([url, errors], [manifestUrl, []]);
    const { icons, start_url, scope, display } = JSON.parse(data ?? '');
    assert.deepEqual([start_url, scope, display], ['/operator', '/operator', 'standalone']);
    for (const { src, type, sizes } of icons) {
      const answer = await page.request.get(new URL(src, url).href);
      assert.deepEqual([answer.status(), answer.headers()['content-type']], [200, type], src);
      if (type !== 'image/png') continue;
      const bytes = await answer.body();
      assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes, src);
    }
    assert.equal(
      (await page.request.get(manifestUrl as string)).headers()['content-type'],
      'application/manifest+json',
    );
    assert.equal(await page.locator('meta[name=theme-color]').count(), 2);
  });
});
