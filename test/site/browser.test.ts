/** The documentation in a real browser: its console, the findings of axe-core, and the search. */
import assert from 'node:assert/strict';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findBarriers, LAYOUT_RULES, offerAxe } from '../support/barriers.ts';
import { collectComplaints, findChromium, startBrowser } from '../support/browser.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { startService, type TestService } from '../support/service.ts';

/** One of each sort: pictures, code, tables. */
const PATHS = [
  '/',
  '/docs',
  '/docs/webhooks',
  '/docs/command-line',
  '/docs/architecture',
  '/docs/api',
  '/docs/api/groups',
  '/docs/api/events',
  '/docs/nothing',
];
/** More of them, with long words and wide tables. */
const WIDE_PATHS = [...PATHS, '/docs/operations', '/docs/contract'];

describe('The documentation in a browser', () => {
  const executable = findChromium();
  let dms: TestService;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const complaints: string[] = [];

  before(async function () {
    if (executable === null) {
      console.log('      no Chromium: set CHROMIUM_PATH, or install the package chromium');
      this.skip();
    }
    [dms, browser] = await Promise.all([startService({ withWorker: false }), startBrowser(executable)]);
    context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await offerAxe(context);
    page = await newTab();
  });
  after(async () => {
    await browser?.close();
    await dms?.stop();
  });
  afterEach(() => assert.deepEqual(complaints.splice(0), []));

  async function newTab(within = context): Promise<Page> {
    const opened = await within.newPage();
    opened.setDefaultTimeout(PATIENCE_MS);
    collectComplaints(opened, dms.baseUrl, complaints);
    return opened;
  }

  const open = (path: string) => page.goto(dms.baseUrl + path);
  async function assertFits(path: string, width: number): Promise<void> {
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    assert.ok(Number(overflow) <= 0, `${path} is ${overflow} px too wide at ${width} px`);
  }

  it('shows pages without barriers that axe-core finds, in light and dark, and fits them to a phone', async () => {
    for (const path of WIDE_PATHS) {
      const isTried = PATHS.includes(path);
      await open(path);
      if (isTried) assert.deepEqual(await findBarriers(page), [], `${path} in light`);
      await assertFits(path, 1280);
      await page.setViewportSize({ width: 360, height: 800 });
      await page.emulateMedia({ colorScheme: 'dark' });
      if (isTried) assert.deepEqual(await findBarriers(page, LAYOUT_RULES), [], `${path} on a phone in dark`);
      await assertFits(path, 360);
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.emulateMedia({ colorScheme: 'light' });
    }
    const missing = 'Failed to load resource: the server responded with a status of 404 (Not Found)';
    assert.deepEqual(complaints.splice(0), [missing]);
  });

  it('finds a page by its words, from any page, with the keyboard alone', async () => {
    await open('/docs/states');
    await page.keyboard.press('/');
    await page.keyboard.type('quiet hours');
    await page.waitForSelector('.search ol a');
    assert.deepEqual(await findBarriers(page), []);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/alerts-and-channels|contract/);
    assert.match((await page.textContent('article')) ?? '', /quiet hours/i);
  });

  it('shows the results above the page, even on a phone', async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    await open('/docs/errors');
    await page.fill('.search input', 'retry-after');
    await page.waitForSelector('.search ol a');
    // Further results are reached by scrolling within the list.
    const covered =
      await page.evaluate(`[...document.querySelectorAll('.search ol a')].slice(0, 8).filter((result) => {
      const { x, y, width, height } = result.getBoundingClientRect();
      return !result.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    }).length`);
    assert.equal(covered, 0);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('reports an empty result, and clears a search at Escape', async () => {
    await open('/docs');
    await page.fill('.search input', 'xqzzyxq');
    await page.waitForSelector('.search [role=status]:text("No results")', { state: 'attached' });
    await page.press('.search input', 'Escape');
    assert.equal(await page.inputValue('.search input'), '');
  });

  it('copies code unchanged', async () => {
    await open('/docs/quickstart');
    await page.locator('.copy').first().click();
    await page.waitForSelector('.copy:text("Copied")');
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'npm ci && npm start');
  });

  it('copies code where the page has no clipboard, as without TLS', async () => {
    await open('/docs/quickstart');
    await page.evaluate(`globalThis.systemClipboard = navigator.clipboard;
      Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    // Another block than the one that the clipboard holds already.
    await page.locator('.copy').nth(1).click();
    await page.waitForSelector('.copy:text("Copied")');
    const copied = (await page.evaluate('systemClipboard.readText()')) as string;
    assert.equal(copied.trim(), (await page.locator('.code pre').nth(1).textContent())?.trim());
  });

  it('says that the search could not be loaded, and loads it with the next letter', async () => {
    // Without the console, which notes the refusal.
    const opened = await context.newPage();
    await opened.goto(`${dms.baseUrl}/docs`);
    const index = await opened.getAttribute('form.search', 'data-index');
    await opened.route(`**${index}`, (route) => route.abort());
    await opened.fill('.search input', 'webhook');
    await opened.waitForSelector('.search [role=status]:text("could not be loaded")', { state: 'attached' });
    await opened.unrouteAll();
    await opened.fill('.search input', 'webhooks');
    await opened.waitForSelector('.search ol a');
    await opened.close();
  });

  it('fills the key of the reader and the address of the service in to code, in this tab alone', async () => {
    const opened = await newTab();
    const firstCode = () => opened.locator('pre').first().textContent();
    await opened.goto(`${dms.baseUrl}/docs/api/alerts`);
    const origin = new URL(dms.baseUrl).origin;
    assert.equal(await firstCode(), `curl "${origin}/alerts" \\\n  -H "Authorization: Bearer $DMS_KEY"\n`);
    await opened.click('.own summary');
    assert.deepEqual(await findBarriers(opened), []);
    await opened.fill('#own-key', 'dms_live_$&');
    assert.equal(await firstCode(), `curl "${origin}/alerts" \\\n  -H "Authorization: Bearer dms_live_$&"\n`);
    await opened.press('#own-key', 'Enter');
    await opened.goto(`${dms.baseUrl}/docs/quickstart`);
    const setup = opened.locator('pre', { hasText: 'BASE=' });
    assert.match(
      (await setup.textContent()) ?? '',
      /^BASE=http:\S+; KEY=dms_live_\$&; DEVICE=\$\(from deviceToken\)$/m,
    );
    const other = await newTab();
    await other.goto(`${dms.baseUrl}/docs/api`);
    assert.equal(await other.inputValue('#own-key'), '');
    await Promise.all([opened.close(), other.close()]);
  });

  it('sends an operation with the key of the reader, on a phone and in the dark', async () => {
    const { token } = await dms.issueKey(dms.id, 'customer');
    const phone = await newTab();
    await phone.setViewportSize({ width: 390, height: 800 });
    await phone.emulateMedia({ colorScheme: 'dark' });
    await phone.goto(`${dms.baseUrl}/docs/api/groups#createGroup`);
    const section = phone.locator('section[aria-labelledby=createGroup]');
    const answer = section.locator('[role=status]');
    await section.locator('summary', { hasText: 'Try it' }).click();
    await section.locator('button', { hasText: 'Send POST' }).click();
    assert.match((await answer.textContent()) ?? '', /^Enter your key first/);
    await phone.click('.own summary');
    await phone.fill('#own-key', token);
    await phone.press('#own-key', 'Enter');
    await section.locator('textarea').fill('{"name": "Fridges of the reference"}');
    await section.locator('button', { hasText: 'Send POST' }).click();
    await section.locator('[role=status]:text("201 Created")').waitFor();
    assert.deepEqual(await findBarriers(phone), []);
    const { body } = await dms.api.get('/groups');
    assert.deepEqual(
      body.items.map(({ name }: { name: string }) => name),
      ['Fridges of the reference'],
    );
    const list = phone.locator('section[aria-labelledby=listGroups]');
    await list.locator('summary', { hasText: 'Try it' }).click();
    await list.getByLabel('limit').fill('1');
    await list.locator('button').filter({ hasText: 'Send GET' }).click();
    await list.locator('[role=status]:text("200 OK")').waitFor();
    await phone.close();
  });

  it('shows pages without scripts, and hides the search', async () => {
    const plain = await newTab(await browser.newContext({ javaScriptEnabled: false }));
    await plain.goto(`${dms.baseUrl}/docs/errors`);
    assert.equal(await plain.isVisible('.search'), false);
    await plain.click('text=Idempotency mismatch');
    assert.match(plain.url(), /#idempotency-mismatch$/);
    await plain.context().close();
  });
});
