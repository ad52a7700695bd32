/**
 * `npm run pictures`: takes the pictures of README.md. With PICTURES=FOLDER, every page of the operators in three
 * widths, by day and at night, to be looked at.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type FleetToLookAt, pathsToLookAt, populateFleet } from './fleet-to-look-at.ts';
import { useOperatorBrowser } from './operator-browser.ts';

const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const WIDTHS = [390, 768, 1440];
/** A curve that is being drawn, as it is again in other colours. */
const UNDRAWN = '[data-curve]:not([data-drawn-ms])';
const { PICTURES } = process.env;

describe('Pictures', () => {
  const shown = useOperatorBrowser();
  const { open } = shown;
  let page: Page;
  let receiver: Receiver;
  let fleet: FleetToLookAt;

  before(async () => {
    ({ page } = shown);
    const { service, id } = shown.dms;
    await service.sql('organizations').where({ id }).update({ name: 'Northside clinic' });
    receiver = await startReceiver();
    fleet = await populateFleet(shown.dms, { receiver, devices: 24 });
  });
  after(() => receiver?.stop());

  it('shows the fleet and a device in the README', async () => {
    for (const [name, path, height] of [
      ['fleet', '/fleet', 780],
      ['device', `/devices/${fleet.assetId}`, 1130],
    ] as const) {
      await page.setViewportSize({ width: 1100, height });
      await open(path);
      await page.waitForLoadState('networkidle');
      await page.screenshot({ path: join(IMAGES, `${name}.png`) });
    }
  });

  it('shows every page at three widths', async function () {
    if (PICTURES === undefined) return this.skip();
    mkdirSync(PICTURES, { recursive: true });
    for (const [index, path] of pathsToLookAt(fleet).entries()) {
      const name = `${String(index).padStart(2, '0')}${path.replace(/[^a-z]+/gi, '-').slice(0, 30)}`;
      await open(path);
      for (const width of WIDTHS)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          // The page hears of other colours with its next frame.
          await page.evaluate(
            'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))',
          );
          await page.waitForSelector(UNDRAWN, { state: 'detached' });
          await page.screenshot({
            path: join(PICTURES, `${name}-${width}-${colorScheme}.png`),
            fullPage: true,
          });
        }
    }
  });
});
