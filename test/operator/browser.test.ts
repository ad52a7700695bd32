/** The operators' page in a real browser: every page and every action, with the messages of the console. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { countAttempt } from '../../src/endpoints/endpoint.ts';
import { createEndpointHealthRepository } from '../../src/endpoints/endpoint-health.repository.ts';
import { COLOUR_RULES, findBarriers } from '../support/barriers.ts';
import { apply, createProfile, FRIDGE, refuse, register } from '../support/fleet.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import type { TestService } from '../support/service.ts';
import { type FleetToLookAt, pathsToLookAt, populateFleet } from './fleet-to-look-at.ts';
import { findUnreached, walk } from './keyboard.ts';
import { useOperatorBrowser } from './operator-browser.ts';

const HOSTILE = `"><script>document.title='broken'</script><img src=x onerror="document.title='broken'">`;

describe("The operators' page in a browser", () => {
  const shown = useOperatorBrowser({ settings: async () => ({ temporalUiUrl: 'http://127.0.0.1:1' }) });
  const { open, forgive } = shown;
  let dms: TestService;
  let page: Page;
  let receiver: Receiver;
  let fleet: FleetToLookAt;

  before(async function () {
    this.timeout(300_000);
    ({ dms, page } = shown);
    receiver = await startReceiver();
    fleet = await populateFleet(dms, { receiver, devices: 5 });
    await register(dms, 'HOSTILE-1', { name: HOSTILE });
    await createProfile(dms, { ...FRIDGE, slug: `long-${'n'.repeat(50)}`, name: 'W'.repeat(60) });
    await dms.device.post('/devices/282C02424EFF/measurements', { readings: readingOf(5) });
    await recordAttempts(dms, fleet.webhookId);
    // The channels of its steps would not speak by themselves of alerts that open from now on; all are open already.
    await dms.api.post('/escalations', {
      name: 'Night shift',
      steps: [{ afterMinutes: 0, channelIds: [fleet.channelId] }],
    });
    for (const path of pathsToLookAt(fleet))
      found.set(
        path,
        await lookAt(path).catch((cause) => {
          throw new Error(`${path}: ${cause.message}`, { cause });
        }),
      );
  });
  after(() => receiver?.stop());

  const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();

  type Finding = keyof Awaited<ReturnType<typeof lookAt>>;
  /** By address, because each page is loaded once for all kinds of findings. */
  const found = new Map<string, Record<Finding, string[]>>();
  let questions = 0;

  async function lookAt(path: string) {
    const evaluated = async (script: string) => (await page.evaluate(script)) as string[];
    await page.setViewportSize({ width: 320, height: 760 });
    await open(path);
    const smallTargets = await evaluated(SMALL_TARGETS);
    const tooWide = [...(await evaluated(TOO_WIDE)), ...(await evaluated(SCROLLS_SIDEWAYS))];
    await page.setViewportSize({ width: 768, height: 1024 });
    tooWide.push(...(await evaluated(SCROLLS_SIDEWAYS)));
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: 'dark' });
    const barriers = await findBarriers(page, COLOUR_RULES);
    await page.emulateMedia({ colorScheme: 'light' });
    barriers.push(...(await findBarriers(page)));
    const unexplained = await evaluated(UNEXPLAINED);
    const unclosed = await findUnclosed();
    // Opens what is folded, so it comes last.
    const unreached = await (isWalked(path) ? findUnwalked() : findUnreached(page));
    const messages = shown.complaints.splice(0);
    return { messages, barriers, tooWide, smallTargets, unexplained, unclosed, unreached };
  }

  const isWalked = (path: string) =>
    [
      '/fleet',
      `/devices/${fleet.assetId}`,
      '/apply?slug=colder',
      '/alerts?status=all',
      '/forms/createEscalation',
    ].includes(path);
  const findUnwalked = (): Promise<string[]> =>
    walk(page).then(
      () => [],
      ({ message }: Error) => [message],
    );

  /** Questions that Escape leaves open, or whose opener does not have the focus then. */
  async function findUnclosed(): Promise<string[]> {
    const left: string[] = [];
    for (const summary of await page.locator('main details.confirm > summary').all()) {
      questions++;
      await summary.press('Enter');
      const opened = await page.locator('details.confirm[open]').count();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Escape');
      const open = await page.locator('details.confirm[open]').count();
      const isFocused = (await summary.and(page.locator(':focus')).count()) === 1;
      if (opened !== 1 || open !== 0 || !isFocused) left.push((await summary.textContent()) ?? '');
    }
    return left;
  }

  function assertNone(kind: Finding): void {
    for (const [path, findings] of found) assert.deepEqual(findings[kind], [], path);
  }

  it("shows every page without messages in the browser's console", () => assertNone('messages'));

  it('shows no barrier on any page, in light and dark', () => assertNone('barriers'));

  it('fits every page to a phone and a tablet', () => assertNone('tooWide'));

  it('shows nothing to press on a phone that is too small for a finger', () => assertNone('smallTargets'));

  it('explains every state on every page', () => assertNone('unexplained'));

  it('reaches everything on every page by the Tab key, with the focus visible', () =>
    assertNone('unreached'));

  it('closes a question by Escape, with the focus where it was opened', () => {
    assertNone('unclosed');
    assert.ok(questions > 0, 'the pages ask no question');
  });

  it('writes every text in the font size of the browser', async () => {
    await open('/fleet');
    const sizes = () =>
      page.evaluate(
        "[...document.querySelectorAll('body *')].map((each) => parseFloat(getComputedStyle(each).fontSize))",
      ) as Promise<number[]>;
    const before = await sizes();
    const settings = await page.context().newCDPSession(page);
    await settings.send('Page.setFontSizes', { fontSizes: { standard: 32 } });
    const doubled = await sizes();
    await settings.send('Page.setFontSizes', { fontSizes: { standard: 16 } });
    assert.deepEqual(
      doubled,
      before.map((each) => 2 * each),
    );
  });

  it('registers the devices of a file', async () => {
    await open('/fleet');
    await page.click('text=Import devices from a file');
    const buffer = Buffer.from('serialNumber,name,floor\n282C02424EB0,Cellar,-1\n282C02424EB1,Roof,top\n');
    await page.setInputFiles('input[type=file]', { name: 'devices.csv', mimeType: 'text/csv', buffer });
    await press('Import');
    const rows = await page.locator('tbody tr').allTextContents();
    assert.match(rows[0] ?? '', /^3.*282C02424EB1.*failed.*floor must be a number/);
    assert.match(rows[1] ?? '', /^2.*282C02424EB0.*registered/);
    assert.deepEqual(await findBarriers(page), []);
    await page.click('tbody a.name');
    assert.match((await page.textContent('h1')) ?? '', /Cellar/);
  });

  it('sends a change again from the page of its job to a device that has refused it', async () => {
    const jobId = await apply(dms, 'colder', { serialNumbers: ['282C02424E01', '282C02424E02'] });
    await refuse(dms, '282C02424E01');
    await open(`/jobs/${jobId}`);
    await page.click('summary:has-text("Retry")');
    await press('Send it again');
    assert.match((await page.textContent('[role=status]')) ?? '', /sent again/);
    assert.match((await page.textContent('main')) ?? '', /Retry of/);
    assert.deepEqual(await findBarriers(page), []);
  });

  it('keeps hostile names text', async () => {
    await open('/fleet?q=HOSTILE');
    assert.equal(await page.locator('a.name').first().textContent(), HOSTILE);
    await page.locator('a.name').first().click();
    assert.match((await page.textContent('h1')) ?? '', /<script>/);
    assert.doesNotMatch(await page.title(), /^broken/);
  });

  it('registers a device that is already sending', async () => {
    await open('/unregistered');
    await page.fill('input[name=name]', 'Found fridge');
    await press(/Register/);
    assert.match((await page.textContent('[role=status]')) ?? '', /registered/);
    const { body } = await dms.api.get('/assets?serialNumber=282C02424EFF');
    assert.equal(body.items[0].name, 'Found fridge');
  });

  it('registers a logger by keyboard alone, with the message of a refusal at its field', async () => {
    await open('/fleet');
    await page.getByRole('link', { name: 'Register a logger' }).press('Enter');
    await page.locator('#serialNumber').focus();
    await page.keyboard.type('282C02424E01');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Twin');
    await page.keyboard.press('Enter');
    assert.match((await page.textContent('[role=alert]')) ?? '', /already/);
    assert.equal(await page.evaluate('document.activeElement.id'), 'serialNumber');
    assert.equal(await page.inputValue('#name'), 'Twin');
    await page.locator('#serialNumber').fill('282C02424EC0');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/devices\//);
    assert.match((await page.textContent('h1')) ?? '', /Twin/);
    forgive(409);
  });

  it('sends once what is pressed again before the answer, and once more on a page that the browser has kept', async () => {
    await open(`/webhooks/events/${fleet.webhookId}`);
    const isSent = await page.evaluate(`[1, 2, 3].map((press) => {
      if (press === 3) dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
      return document.querySelector('form[action$="/test"]')
        .dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }));
    })`);
    assert.deepEqual(isSent, [true, false, true]);
  });

  it('leaves a row that was added to a form, and what is typed in it, open at Escape', async () => {
    await open('/forms/createEscalation');
    await page.click('summary:has-text("Add a step")');
    await page.keyboard.press('Escape');
    await page.keyboard.type('30');
    const after = page.locator('[name="steps.1.afterMinutes"]');
    assert.deepEqual([await after.isVisible(), await after.inputValue()], [true, '30']);
  });
});

const readingOf = (value: number) => [
  { channel: 'probe', type: 'temperature', value, measuredAt: new Date().toISOString() },
];

/** Some hours, one of them failed. */
async function recordAttempts(
  { service, id: organizationId }: TestService,
  endpointId: string,
): Promise<void> {
  const endpoint = { organizationId, endpointId, url: 'https://example.com/' };
  const health = createEndpointHealthRepository(service.sql);
  for (const [hoursAgo, status] of [
    [5, 'delivered'],
    [4, 'retrying'],
    [1, 'delivered'],
  ] as const) {
    const attemptedAt = new Date(Date.now() - hoursAgo * 3_600_000);
    const counts = countAttempt(status, 100 * hoursAgo);
    const attempt = { ...endpoint, attemptedAt, status, statusCode: 204, error: null, counts };
    await health.recordLastAttempts([attempt]);
  }
}

/** Badges without their sentence; parts of a filter are marked like states. */
const UNEXPLAINED = `[...document.querySelectorAll('span.badge:not([title])')]
  .map(({ textContent }) => textContent).filter((text) => !text.includes(':'))`;

const TOO_WIDE = `[document.documentElement.scrollWidth - innerWidth]
  .filter((overflow) => overflow > 0).map((overflow) => overflow + ' px too wide')`;

/** What hides a part of itself at a side; samples of files have lines that are not wrapped. */
const SCROLLS_SIDEWAYS = `[...document.querySelectorAll('body :not(pre)')]
  .filter((each) => /auto|scroll/.test(getComputedStyle(each).overflowX) && each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.scrollWidth + ' in ' + each.clientWidth + ' ' + each.outerHTML.slice(0, 100))`;

/** What is smaller than 44 px to press; links within a sentence are as high as its lines. */
const SMALL_TARGETS = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')]
  .filter((target) => target.checkVisibility() && !target.matches('.skip, p:not([class]) > a, p.quiet > a'))
  .map((target) => [target, (target.type === 'checkbox' && target.closest('label') || target).getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 43.5 || height < 43.5)
  .map(([target, { width, height }]) => width + ' x ' + height + ' ' + target.outerHTML.slice(0, 100))`;
