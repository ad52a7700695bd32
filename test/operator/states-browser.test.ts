/** States of pages beyond the usual one, by axe-core, and actions by keyboard alone, in a real browser. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Route } from '../../src/http/route.ts';
import { FORMS, type FormName, operationOf, toFormUrl } from '../../src/operator/forms.ts';
import { findBarriers } from '../support/barriers.ts';
import { signInAt } from '../support/browser.ts';
import { jobOf, register, sendLowBattery } from '../support/fleet.ts';
import { exampleBody, type Fixtures, nameFor, populate, slotsOf } from '../support/operations.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import type { TestService } from '../support/service.ts';
import { type FleetToLookAt, pathsToLookAt, populateFleet } from './fleet-to-look-at.ts';
import { fillAndSend, toInputs } from './keyboard.ts';
import { useOperatorBrowser } from './operator-browser.ts';
import { newLink } from './visitor.ts';

/** Pages of lists, which say something else where there is nothing. */
const LISTS = [
  '',
  '/fleet',
  '/groups',
  '/profiles',
  '/jobs',
  '/alerts',
  '/webhooks',
  '/channels',
  '/escalations',
  '/unregistered',
  '/audit',
  '/apply',
];
const NATIVE = ':is(a[href], button, input, select, textarea, summary)';
const BY_SCRIPT =
  ':is([onclick], [role=button], [role=link], [role=checkbox], [role=tab], [contenteditable])';
/** Parts of these pages that look like controls and are none, or that the Tab key passes over. */
const UNNATIVE_IN = (paths: string[]) => `(async () => {
  const found = [];
  for (const path of ${JSON.stringify(paths)}) {
    const fresh = new DOMParser().parseFromString(await (await fetch(path)).text(), 'text/html');
    const wrong = '${BY_SCRIPT}:not(${NATIVE}), ${NATIVE}[tabindex], [inert] *';
    for (const each of fresh.querySelectorAll(wrong)) found.push(path + ' ' + each.outerHTML.slice(0, 120));
  }
  return found;
})()`;
const TABS_MAX = 150;

describe("States of the operators' page", () => {
  const shown = useOperatorBrowser();
  const { open, signIn } = shown;
  let dms: TestService;
  let page: Page;
  let receiver: Receiver;
  let fleet: FleetToLookAt;
  let fixtures: Fixtures;

  before(async () => {
    ({ dms, page } = shown);
    receiver = await startReceiver();
    fleet = await populateFleet(dms, { receiver, devices: 4 });
    fixtures = await populate(dms);
  });
  after(() => receiver?.stop());

  const routeOf = (name: FormName) =>
    dms.service.routes.find(({ operationId }) => operationId === operationOf(name)) as Route;
  /** The address of every form. */
  const formPaths = () =>
    new Map(
      (Object.keys(FORMS) as FormName[]).map((name) => {
        const route = routeOf(name);
        const params = slotsOf(route).map((slot) => [slot, nameFor(route, slot, fixtures)]);
        return [name, toFormUrl(name, Object.fromEntries(params))];
      }),
    );
  const assertNoBarriers = async (state: string, on = page) =>
    assert.deepEqual(await findBarriers(on), [], state);

  /** Presses the Tab key until the element has the focus, so that it is proven to be reachable. */
  async function tabTo(selector: string): Promise<void> {
    const isFocused = `document.activeElement?.matches(${JSON.stringify(selector)})`;
    for (let count = 0; count < TABS_MAX; count++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(isFocused)) return;
    }
    assert.fail(`The Tab key does not reach ${selector}`);
  }
  async function press(selector: string, key = 'Enter'): Promise<void> {
    await tabTo(selector);
    await page.keyboard.press(key);
  }

  it('shows no barrier on any page of an empty organization, and none to a reader', async () => {
    const other = await dms.addOrganization();
    const visitor = await signIn({ organizationId: other.id });
    for (const path of LISTS) {
      await visitor.goto(`${dms.baseUrl}/operator${path}`);
      await assertNoBarriers(`${path} when empty`, visitor);
    }
    await signInAt(visitor, await newLink(dms, { role: 'read' }));
    for (const path of ['', '/fleet', '/alerts', '/import']) {
      await visitor.goto(`${dms.baseUrl}/operator${path}`);
      await assertNoBarriers(`${path} for a reader`, visitor);
    }
    await visitor.context().close();
  });

  it('shows no barrier in refusals, previews, checks of a file, questions, notices and error pages', async () => {
    await open('/forms/registerAsset');
    await page.fill('#serialNumber', '282C02424E00');
    await page.click('main button.main');
    await assertNoBarriers('a refused form');
    await open('/apply?slug=colder');
    await page.click('main button.main');
    await assertNoBarriers('a refused apply');
    await page.check('input[name=applyToAll]');
    await page.click('main button.main');
    await assertNoBarriers('a preview');
    await open('/forms/updateProfile?slug=colder');
    await page.fill('[name="temperatureAlerts.0.highC"]', '5');
    await page.click('main button.main');
    await assertNoBarriers('what a change of a profile changes');
    await open('/fleet');
    await page.locator('input[name=serialNumbers]').first().check();
    await page.selectOption('select[name=joinedGroupId]', fleet.groupId);
    await page.click('text=Add to the group');
    await page.waitForSelector('h1:has-text("?")');
    await assertNoBarriers('devices that are to join a group');
    await open('/import');
    await page.fill('#rows', 'serialNumber,name\nB,"2\n');
    await page.click('main button.main');
    await assertNoBarriers('a file with a mistake');
    await page.fill('#rows', 'serialNumber,floor\n282C02424F00,1\n282C02424F01,top\n');
    await page.click('main button.main');
    await assertNoBarriers('the check of a file');
    for (const path of [
      '/fleet?q=nothing-has-this-name',
      '/alerts?done=acknowledgeTicked',
      '/forms/noSuchForm',
      '/devices/none',
      '/forms/createWebhook',
      '/forms/createNotificationChannel',
    ]) {
      await open(path);
      await assertNoBarriers(path);
    }
    shown.forgive(400, 404, 409);
  });

  it('ticks devices, previews and applies a profile, and cancels the job by keyboard alone', async () => {
    await register(dms, '282C02424FB0', { name: 'By keyboard' });
    await open('/fleet?q=282C02424FB0');
    await press('[aria-label="Choose By keyboard"]', 'Space');
    await tabTo('#apply-to-chosen select');
    await page.keyboard.type('colder');
    await press('#apply-to-chosen button.main');
    await page.waitForSelector('h1:has-text("Apply")');
    await press('button[value=apply]');
    await page.waitForURL(/\/jobs\//);
    const jobId = page.url().match(/jobs\/([^?]+)/)?.[1] ?? '';
    await press('.confirm summary');
    await press('.confirm button.danger');
    await page.waitForSelector('[role=status]');
    assert.equal((await jobOf(dms, jobId)).status, 'cancelled');
  });

  it('ticks all new alerts by one button, and acknowledges them', async () => {
    const serials = ['282C02424FC0', '282C02424FC1'];
    for (const serial of serials) {
      await register(dms, serial);
      await sendLowBattery(dms, serial);
    }
    const { totalItems } = (await dms.api.get('/alerts?status=new')).body;
    assert.ok(totalItems >= serials.length);
    await open('/alerts');
    await page.click('#acknowledge-ticked .tick-all');
    assert.equal(await page.locator('input[name=alertId]:checked').count(), totalItems);
    await page.click('#acknowledge-ticked button.main');
    await page.waitForSelector('[role=status]');
    assert.equal((await dms.api.get('/alerts?status=new')).body.totalItems, 0);
  });

  it('leaves every control of every page and form to the browser, whose keys press it', async () => {
    const paths = [...LISTS, ...pathsToLookAt(fleet)].map((path) => `/operator${path}`);
    const all = [...new Set([...paths, ...formPaths().values()])];
    assert.deepEqual(await page.evaluate(UNNATIVE_IN(all)), []);
  });

  it('fills each kind of control and sends its form by keyboard alone', async () => {
    const forms: Array<{ name: FormName; path: string; kinds: Set<string> }> = [];
    for (const [name, path] of formPaths()) {
      // A form of a change sends the fields alone that differ, and those of the example do not.
      if ('path' in FORMS[name] || 'file' in FORMS[name] || name.startsWith('update')) continue;
      const text = await (await page.request.get(dms.baseUrl + path)).text();
      const controls = text.match(/<(?:select|textarea|fieldset)|<input(?:[^>]* type="[a-z-]+")?/g) ?? [];
      forms.push({ name, path, kinds: new Set(controls.map((each) => each.replace(/ .* /, ' '))) });
    }
    // A few forms, which have every kind of control between them.
    const seen = new Set<string>();
    const chosen = forms
      .toSorted((a, b) => b.kinds.size - a.kinds.size)
      .filter(({ kinds }) => {
        const isNew = [...kinds].some((kind) => !seen.has(kind));
        for (const kind of kinds) seen.add(kind);
        return isNew;
      });
    const refused: string[] = [];
    for (const { name, path } of chosen) {
      await open(path.replace('/operator', ''));
      const body = exampleBody(routeOf(name), fixtures);
      // A time that is typed counts in place of the hours beside it.
      await fillAndSend(page, toInputs({ ...body, ...('since' in body && { 'since-at': body.since }) }));
      // A change that begins a job is previewed first.
      const answers = ['[role=status]', '[role=alert]', 'h1:has-text("?")'];
      const answered = page.waitForSelector(answers.join());
      await answered.catch(() => assert.fail(`${name} was not sent: ${page.url()}`));
      for (const text of await page.locator('[role=alert]').allTextContents())
        refused.push(`${name}: ${text}`);
    }
    assert.deepEqual(refused, []);
  });

  it('copies a link that is shown once by keyboard alone, and says so, also without TLS', async () => {
    await shown.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(toFormUrl('createOperatorLink').replace('/operator', ''));
    await fillAndSend(page, toInputs({ name: 'Bo' }));
    const link = await page.getByLabel('Link', { exact: true }).inputValue();
    const copy = page.getByRole('button', { name: 'Copy', exact: true });
    const said = page.getByRole('status').getByText('Copied', { exact: true });
    await copy.press('Enter');
    await said.waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), link);
    await page.evaluate(`(async () => {
      document.querySelector('.copy + [role=status]').textContent = '';
      await navigator.clipboard.writeText('');
      Object.defineProperty(window, 'clipboard', { value: navigator.clipboard });
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
    })()`);
    await copy.press('Enter');
    await said.waitFor();
    assert.equal(await page.evaluate('window.clipboard.readText()'), link);
  });
});
