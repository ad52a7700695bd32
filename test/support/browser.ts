/** A real browser, if the machine has one: CHROMIUM_PATH, chromium-headless-shell, chromium or google-chrome. */
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserServer, chromium, type Page } from 'playwright-core';
import { isExecutable } from '../runner/programs.ts';
import { PATIENCE_MS } from './patience.ts';

/** The first one has no windows, bars and profiles, and loads a page in two thirds of the processor time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** Null when there is none. */
export function findChromium(): string | null {
  const { CHROMIUM_PATH, PATH = '' } = process.env;
  if (CHROMIUM_PATH) return CHROMIUM_PATH;
  const folders = PATH.split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable) ?? null;
}

const ARGS = ['--no-sandbox', '--disable-dev-shm-usage'];

/** The browser that the files of a run share, each with contexts of its own; or else a new one. */
export function startBrowser(executablePath: string): Promise<Browser> {
  const { TEST_BROWSER } = process.env;
  return TEST_BROWSER === undefined
    ? chromium.launch({ executablePath, args: ARGS })
    : chromium.connect(TEST_BROWSER);
}

/** Null if the machine has none. */
export async function startSharedBrowser(): Promise<BrowserServer | null> {
  const executablePath = findChromium();
  return executablePath === null ? null : chromium.launchServer({ executablePath, args: ARGS });
}

/** Errors of the console, of scripts and of the policy, and requests to other hosts; it grows with the page. */
export function collectComplaints(page: Page, baseUrl: string, complaints: string[] = []): string[] {
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(baseUrl)) complaints.push(`asked ${request.url()}`);
  });
  return complaints;
}

/** Opens a sign-in link of the operators' page and presses its button. */
export async function signInAt(page: Page, link: string): Promise<void> {
  page.context().setDefaultTimeout(PATIENCE_MS);
  await page.goto(link);
  await page.click('button.main');
  await page.waitForURL('**/operator');
}
