/** The operators' page of a service in a real browser, signed in, with the messages of the console. */
import assert from 'node:assert/strict';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { freePort } from '../../dev/embedded/free-port.ts';
import type { Settings } from '../../src/process/config.ts';
import { offerAxe } from '../support/barriers.ts';
import { collectComplaints, findChromium, signInAt, startBrowser } from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';
import { type LinkOptions, newLink } from './visitor.ts';

export interface OperatorBrowser {
  dms: TestService;
  browser: Browser;
  context: BrowserContext;
  page: Page;
  /** Emptied before each test, which fails if there is one at its end. */
  complaints: string[];
  /** Opens an address below `/operator`. */
  open(path: string): Promise<void>;
  /** Takes back what the browser notes of each answer that is a refusal. */
  forgive(...statuses: number[]): void;
  /** A page of a context of its own. */
  signIn(options?: LinkOptions): Promise<Page>;
}

interface BrowserSetup {
  view?: BrowserContextOptions;
  /** Settings that need something to be started first. */
  settings?(): Promise<Partial<Settings>>;
}

/** As a browser does that finds its network again; a page that has just come waits for seconds otherwise. */
export const watchAtOnce = (page: Page) => page.evaluate("dispatchEvent(new Event('online'))");

/** Sets up the tests of the surrounding `describe`, or skips them on a machine without Chromium. */
export function useOperatorBrowser(setup: BrowserSetup = {}): OperatorBrowser {
  const { view = { viewport: { width: 1280, height: 800 } }, settings } = setup;
  const shown = {} as OperatorBrowser;

  before(async function () {
    const executable = findChromium();
    if (executable === null) return this.skip();
    const port = await freePort();
    const more = { port, operatorUrl: `http://127.0.0.1:${port}`, ...(await settings?.()) };
    const [dms, browser] = await Promise.all([
      startService({ withWorker: false, settings: more, watchIntervalMs: 200 }),
      startBrowser(executable),
    ]);
    Object.assign(shown, { dms, browser });
    shown.page = await shown.signIn();
    shown.context = shown.page.context();
    shown.complaints = collectComplaints(shown.page, dms.baseUrl);
  });
  after(async () => {
    await shown.browser?.close();
    await shown.dms?.stop();
  });
  beforeEach(() => void shown.complaints.splice(0));
  afterEach(() => assert.deepEqual(shown.complaints, []));

  return Object.assign(shown, {
    async open(path: string) {
      await shown.page.goto(`${shown.dms.baseUrl}/operator${path}`);
    },
    forgive(...statuses: number[]) {
      const isOther = (text: string) => !statuses.some((status) => text.includes(`status of ${status}`));
      shown.complaints.splice(0, Infinity, ...shown.complaints.filter(isOther));
    },
    async signIn(options?: LinkOptions) {
      const context = await shown.browser.newContext(view);
      await offerAxe(context);
      const page = await context.newPage();
      await signInAt(page, await newLink(shown.dms, options));
      return page;
    },
  });
}
