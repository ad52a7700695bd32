/** `npm run icons`: draws the icons of the installed page from icon.svg, in Chromium. */
import { readFileSync } from 'node:fs';
import { findChromium, startBrowser } from '../support/browser.ts';

const FOLDER = new URL('../../src/operator/static/', import.meta.url);
const SIZES = [180, 192, 512];
/** Systems cut icons to a circle, whose middle has to hold the drawing. */
const STYLE =
  '<style>body{margin:0}svg{display:block;width:100vw;height:100vh}path{scale:.8;translate:10% 10%}</style>';

const chromium = findChromium();
if (chromium === null) throw new Error('Set CHROMIUM_PATH, or install Chromium');
const svg = readFileSync(new URL('icon.svg', FOLDER), 'utf8').replace(' rx="4"', '');
const browser = await startBrowser(chromium);
try {
  const page = await browser.newPage();
  await page.setContent(`<!doctype html>${STYLE}${svg}`);
  for (const size of SIZES) {
    await page.setViewportSize({ width: size, height: size });
    await page.screenshot({ path: new URL(`icon-${size}.png`, FOLDER).pathname });
  }
} finally {
  await browser.close();
}
