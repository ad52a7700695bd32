/** A real browser, if the machine has one: CHROMIUM_PATH, chromium or google-chrome. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserServer, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Null when there is none. */
export function findChromium(): string | null {
  const { CHROMIUM_PATH, PATH = '' } = process.env;
  if (CHROMIUM_PATH) return CHROMIUM_PATH;
  const folders = PATH.split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
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
