/** The curves of devices in a real browser: what they show, and every way to move them. */
import assert from 'node:assert/strict';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { COLOUR_RULES, findBarriers, LAYOUT_RULES } from '../support/barriers.ts';
import { eventually, register, sendTemperature } from '../support/fleet.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import type { TestService } from '../support/service.ts';
import { type FleetToLookAt, populateFleet } from './fleet-to-look-at.ts';
import { useOperatorBrowser, watchAtOnce } from './operator-browser.ts';

/** Half an hour beside all others, and without summer time. */
const ZONE = 'Asia/Kolkata';
const ZONE_OFFSET_MS = 5.5 * 3_600_000;
const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
const DRAWN = '[data-drawn-ms]';
const SIZES = [
  [390, 844],
  [768, 1024],
  [1440, 900],
] as const;

describe('The curves of a device in a browser', () => {
  const shown = useOperatorBrowser({
    view: { viewport: { width: 1440, height: 900 }, timezoneId: ZONE, hasTouch: true },
  });
  let dms: TestService;
  let receiver: Receiver;
  let fleet: FleetToLookAt;
  let others: Array<{ id: string; name: string }>;
  let context: BrowserContext;
  let page: Page;

  before(async () => {
    ({ dms, context, page } = shown);
    receiver = await startReceiver();
    fleet = await populateFleet(dms, { receiver, devices: 8 });
    const { body } = await dms.api.get('/assets?limit=50');
    others = body.items.filter(({ id }: { id: string }) => id !== fleet.assetId);
    await dms.api.post(`/assets/${fleet.assetId}/mute`, {
      until: new Date(Date.now() + 3_600_000).toISOString(),
      reason: 'Defrosting',
    });
    const [alert] = (await dms.api.get(`/alerts?assetId=${fleet.assetId}`)).body.items;
    await dms.api.post(`/alerts/${alert.id}/comments`, { comment: 'The door was open' });
  });
  after(() => receiver?.stop());

  async function open(query = '', assetId = fleet.assetId): Promise<void> {
    await shown.open(`/devices/${assetId}${query}`);
    await page.waitForSelector(DRAWN);
  }
  /** The part of time that is seen, in seconds. */
  async function seen(): Promise<{ from: number; to: number }> {
    await page.waitForSelector(DRAWN);
    const { searchParams } = new URL(page.url());
    const [from = '', to = ''] = ['from', 'to'].map((name) => searchParams.get(name) ?? '');
    return { from: Date.parse(from) / 1_000, to: Date.parse(to) / 1_000 };
  }
  const area = async (index = 0) => {
    const box = await page.locator('figure .u-over').nth(index).boundingBox();
    assert.ok(box);
    return box;
  };
  async function drag(fromShare: number, toShare: number): Promise<void> {
    const { x, y, width, height } = await area();
    await page.mouse.move(x + fromShare * width, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + toShare * width, y + height / 2, { steps: 5 });
    await page.mouse.up();
  }
  const isNear = (actual: number, expected: number, within: number) =>
    assert.ok(Math.abs(actual - expected) <= within, `${actual}, not ${expected} (± ${within})`);
  const whereDrawn = (atMs: number): Promise<{ near: boolean; beside: boolean; y: number | null }> =>
    page.evaluate(`(${WHERE_DRAWN})(${atMs / 1000})`);
  const texts = async (locator: Locator) => (await locator.allTextContents()).map((text) => text.trim());

  it('draws bounds, breaches, gaps, configurations, maintenance and notes, and lists them', async () => {
    await open();
    const [first, second] = await page.locator('figcaption').allTextContents();
    const marks =
      /^Channel 3, temperature \(probe\): .+ °C, 1 alert, 1 gap, 1 configuration change, 1 × maintenance, 1 note$/;
    assert.match(first ?? '', marks);
    assert.match(second ?? '', /humidity/);
    assert.deepEqual(await texts(page.locator('.marks li')), [
      'alert',
      'gap',
      'maintenance',
      'configuration',
      'note',
      'bounds',
    ]);
    await page.click('.happened summary');
    const happened = (await texts(page.locator('.happened li'))).join('\n');
    for (const part of [
      /alert, too warm, probe \(channel 3\)/,
      /no values of probe \(channel 3\)/,
      /bounds of probe \(channel 3\): 2 to 8 °C/,
      /configuration by profile Vaccine fridge/,
      /maintenance, Defrosting/,
      /note of .+, The door was open/,
    ])
      assert.match(happened, part);
  });

  it('draws a dot for a reading without neighbours, in every span and in the list of the fleet', async () => {
    for (const [span, stepMs] of Object.entries({ day: 300_000, week: 3_600_000, year: 86_400_000 })) {
      const serial = `LONE-${span}`;
      const assetId = await register(dms, serial);
      const loneAt = Date.now() - 150 * stepMs;
      const times = [loneAt, ...Array.from({ length: 50 }, (_, step) => Date.now() - step * stepMs)];
      const readings = times.map((at) => ({
        channel: 1,
        type: 'temperature',
        value: 5,
        measuredAt: new Date(at).toISOString(),
      }));
      assert.equal((await dms.device.post(`/devices/${serial}/measurements`, { readings })).status, 202);
      await open(`?span=${span}`, assetId);
      // Buckets are drawn at their begin.
      const drawnAt = Math.floor(loneAt / stepMs) * stepMs;
      const { near, beside } = await whereDrawn(drawnAt);
      assert.deepEqual({ near, beside }, { near: true, beside: false }, span);
    }
    await page.goto(`${dms.baseUrl}/operator/fleet?q=LONE-day`);
    const path = page.locator('.spark path');
    assert.match((await path.getAttribute('d')) ?? '', /^M[\d.]+ [\d.]+h0M/);
    const ends = "getComputedStyle(document.querySelector('.spark path')).strokeLinecap";
    assert.equal(await page.evaluate(ends), 'round');
  });

  it('draws a state as steps, and without a gap until it changes', async () => {
    const assetId = await register(dms, 'STATE');
    const hoursAgo = (hours: number) => Date.now() - hours * HOUR_S * 1_000;
    const readings = [
      [20, 0],
      [19, 0],
      [2, 1],
      [1, 1],
    ].map(([hours = 0, value]) => ({
      channel: 1,
      type: 'flooding',
      value,
      measuredAt: new Date(hoursAgo(hours)).toISOString(),
    }));
    assert.equal((await dms.device.post('/devices/STATE/measurements', { readings })).status, 202);
    await open('', assetId);
    assert.doesNotMatch((await page.textContent('figcaption')) ?? '', /gap/);
    const heights: number[] = [];
    for (const hours of [19.5, 10, 1.5]) heights.push((await whereDrawn(hoursAgo(hours))).y ?? Number.NaN);
    const [before, between, after] = heights as [number, number, number];
    isNear(between, before, 2);
    assert.ok(after < between - 20, `${heights}`);
  });

  it('draws 35,000 points of each of four channels at once', async () => {
    const to = Math.floor(Date.now() / 1000);
    const from = to - 365 * DAY_S;
    const times = Array.from({ length: 35_000 }, (_, index) =>
      Math.round(from + (index * 365 * DAY_S) / 35_000),
    );
    const avg = times.map((at) => Math.round(50 + 30 * Math.sin(at / 40_000)) / 10);
    const values = { times, avg, min: avg.map((each) => each - 0.5), max: avg.map((each) => each + 0.5) };
    const curves = [1, 2, 3, 4].map((channel) => ({
      channel,
      position: null,
      type: 'temperature',
      unit: '°C',
      ...values,
      gaps: [],
      bounds: [{ from, to, lowC: 2, highC: 8 }],
      alerts: [],
    }));
    const json = { from, to, knownUntil: to, curves, alerts: [], changes: [], mutes: [], notes: [] };
    await page.route('**/curve?*', (route) => route.fulfill({ json }));
    await open('?span=year');
    await page.unroute('**/curve?*');
    assert.equal(await page.locator('figure canvas').count(), 4);
    const drawnMs = Number(await page.locator(DRAWN).getAttribute('data-drawn-ms'));
    assert.ok(drawnMs > 0);
    console.log(`      4 × 35,000 points: drawn ${drawnMs} ms after the data came`);
  });

  it('zooms to the dragged part in finer data, and back by the browser', async () => {
    await open('?span=week');
    const startS = Date.now() / 1_000 - 7 * DAY_S;
    await drag(0.9, 0.95);
    const { from, to } = await seen();
    isNear(from, startS + 0.9 * 7 * DAY_S, HOUR_S);
    isNear(to, startS + 0.95 * 7 * DAY_S, HOUR_S);
    assert.equal(await page.locator('#curve .tabs [aria-current]').count(), 0);
    assert.match((await page.locator('a:text("PDF")').getAttribute('href')) ?? '', /from=20/);
    await page.reload();
    assert.deepEqual(await seen(), { from, to });
    await page.goBack();
    await page.waitForSelector(DRAWN);
    assert.match(page.url(), /\?span=week$/);
    assert.equal(await page.textContent('#curve .tabs [aria-current]'), 'Week');
    assert.match((await page.locator('a:text("PDF")').getAttribute('href')) ?? '', /span=week/);
  });

  it('zooms, moves up to the present and goes back by keyboard alone, and by a double click', async () => {
    await open();
    await page.focus('[data-curve]');
    await page.keyboard.press('+');
    const half = await seen();
    isNear(half.to - half.from, DAY_S / 2, 2);
    await page.keyboard.press('+');
    const quarter = await seen();
    isNear(quarter.to - quarter.from, DAY_S / 4, 2);
    await page.keyboard.press('ArrowLeft');
    isNear((await seen()).from, quarter.from - DAY_S / 16, 2);
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => Date.parse(url.searchParams.get('from') ?? '') === half.from * 1_000);
    await page.keyboard.press('-');
    const whole = await seen();
    isNear(whole.to - whole.from, DAY_S, 2);
    await page.keyboard.press('0');
    await page.waitForURL((url) => url.search === '');
    await page.waitForSelector(DRAWN);
    assert.equal(await page.getByRole('button', { name: 'Back' }).isDisabled(), true);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.focus('[data-curve]');
    for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowRight');
    isNear((await seen()).to, Date.now() / 1_000, HOUR_S);
    await page.locator('figure .u-over').first().dblclick();
    await page.waitForURL((url) => url.search === '');
  });

  it('loses no step to the answer for an earlier one', async () => {
    await open();
    await page.focus('[data-curve]');
    for (const key of ['+', '+']) await page.keyboard.press(key);
    const { from } = await seen();
    const asked: Array<() => Promise<void>> = [];
    await page.route('**/curve?*', (route) => void asked.push(() => route.continue().catch(() => {})));
    for (const count of [1, 2]) {
      await page.keyboard.press('ArrowLeft');
      if (count === 2) await asked[0]?.();
      await eventually(
        async () => asked.length,
        (found) => found === count,
      );
    }
    await page.keyboard.press('ArrowLeft');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await asked[1]?.();
    isNear((await seen()).from, from - (3 * DAY_S) / 16, 2);
  });

  it('leads back to the first span after more zooms than a browser keeps', async () => {
    await open();
    await page.focus('[data-curve]');
    for (let time = 0; time < 15; time++) await page.keyboard.press('+');
    const { from, to } = await seen();
    isNear(to - from, 60, 1);
    // A day is halved to a minute in 11 steps; zooms at the limit add none.
    assert.equal(await page.evaluate('history.state.depth'), 11);
    for (let time = 0; time < 25; time++) {
      await page.keyboard.press('-');
      await page.keyboard.press('+');
    }
    await page.keyboard.press('0');
    await page.waitForURL((url) => url.search === '');
    assert.equal(await page.getByRole('button', { name: 'Back' }).isDisabled(), true);
  });

  it('zooms by two fingers and moves by one', async () => {
    await open();
    const { x, y, width, height } = await area();
    const touch = await context.newCDPSession(page);
    const send = (type: string, ...shares: number[]) =>
      touch.send('Input.dispatchTouchEvent', {
        type: type as 'touchStart',
        touchPoints: shares.map((share, id) => ({ x: x + share * width, y: y + height / 2, id })),
      });
    await send('touchStart', 0.4, 0.6);
    for (const spread of [0.15, 0.2, 0.25]) await send('touchMove', 0.5 - spread, 0.5 + spread);
    await send('touchEnd');
    const pinched = await seen();
    isNear(pinched.to - pinched.from, DAY_S * 0.4, DAY_S * 0.03);
    isNear((pinched.from + pinched.to) / 2, Date.now() / 1_000 - DAY_S / 2, DAY_S * 0.03);
    await send('touchStart', 0.3);
    for (const share of [0.4, 0.5, 0.55]) await send('touchMove', share);
    await send('touchEnd');
    const moved = await seen();
    isNear(moved.from, pinched.from - 0.25 * 0.4 * DAY_S, DAY_S * 0.02);
    isNear(moved.to - moved.from, pinched.to - pinched.from, 2);
  });

  it('shows the values of all channels at the cursor, by mouse and by keyboard', async () => {
    await open();
    const readouts = page.locator('.readout');
    assert.doesNotMatch((await texts(readouts)).join(), /--|–/);
    const { x, y, width, height } = await area();
    await page.mouse.move(x + 0.25 * width, y + height / 2);
    const clock = /\d+ \w{3,4} \d{4}, \d\d:\d\d/;
    const times = async () => (await texts(readouts)).map((text) => clock.exec(text)?.[0]);
    const [first, second] = await times();
    assert.equal(first, second);
    const shownMs = Date.parse(`${first} UTC`) - ZONE_OFFSET_MS;
    isNear(shownMs / 1_000, Date.now() / 1_000 - 0.75 * DAY_S, HOUR_S);
    await page.mouse.move(0, 0);
    await page.focus('[data-curve]');
    await page.keyboard.press('Shift+ArrowRight');
    const [before] = await times();
    await page.keyboard.press('Shift+ArrowRight');
    const [next] = await times();
    isNear(Date.parse(`${next} UTC`) / 1_000, Date.parse(`${before} UTC`) / 1_000 + 300, 1);
    assert.match((await page.textContent('.curves > .hidden')) ?? '', /°C.*;.*%/);
  });

  it('shows a span that is typed in the zone of the reader, and keeps what was typed when it is refused', async () => {
    await open();
    const local = (hoursAgo: number) =>
      new Date(Date.now() - hoursAgo * 3_600_000 + ZONE_OFFSET_MS).toISOString().slice(0, 16);
    const [early, late] = [local(9), local(3)];
    await page.click('.choose summary');
    assert.match((await page.textContent('.choose label')) ?? '', /From \(UTC\+5:30\)/);
    await page.fill('#curve-from', early);
    await page.fill('#curve-to', late);
    await page.click('.choose button');
    const { from, to } = await seen();
    assert.deepEqual(
      [from, to],
      [early, late].map((text) => (Date.parse(`${text}Z`) - ZONE_OFFSET_MS) / 1_000),
    );
    await page.click('.choose summary');
    assert.deepEqual(
      [await page.inputValue('#curve-from'), await page.inputValue('#curve-to')],
      [early, late],
    );
    await page.fill('#curve-to', early);
    await page.click('.choose button');
    await page.waitForSelector('#span-fault');
    assert.match((await page.textContent('#span-fault')) ?? '', /after the beginning/);
    assert.deepEqual(
      [await page.inputValue('#curve-from'), await page.inputValue('#curve-to')],
      [early, early],
    );
    assert.deepEqual(await findBarriers(page), []);
  });

  it('exports the seen span of the seen devices', async () => {
    const [other] = others.filter(({ name }) => name === 'Blood bank 1');
    await open(`?span=day&with=${other?.id}`);
    await page.focus('[data-curve]');
    await page.keyboard.press('+');
    const { from, to } = await seen();
    const hrefOf = async (name: string) =>
      new URL((await page.locator(`.exports a:text("${name}")`).getAttribute('href')) ?? '', page.url()).href;
    const csv = await (await page.request.get(await hrefOf('CSV'))).text();
    const [head = '', ...lines] = csv.trim().split('\r\n');
    const column = (name: string) =>
      lines.map((line) => line.split(',')[head.split(',').indexOf(name)] ?? '');
    assert.equal(new Set(column('serialNumber')).size, 2);
    const times = column('measuredAt').map((at) => Date.parse(at) / 1_000);
    assert.ok(times.length > 100 && times.every((at) => at >= from && at < to));
    const pdf = await page.request.get(await hrefOf('PDF'));
    assert.match(pdf.headers()['content-type'] ?? '', /pdf/);
    assert.match(pdf.headers()['content-disposition'] ?? '', /-and-1-more-/);
    assert.match(await hrefOf('PDF'), /timezone=Asia%2F(Kolkata|Calcutta)/);
    await page.click('.exports a:text("Statistics")');
    const cells = await texts(page.locator('tbody tr').first().locator('td'));
    const own = lines.filter((line) => line.includes('282C02424E00') && line.includes('probe'));
    assert.equal(cells[5], String(own.length));
  });

  it('compares up to five devices, which are looked for by name', async () => {
    const idOf = (name: string) => others.find((other) => other.name === name)?.id;
    await open(`?with=${idOf('Blood bank 1')}&with=${idOf('Kitchen cold room 1')}`);
    for (const name of ['Laboratory freezer 1', 'Warm water 1']) {
      await page.click('.choose summary');
      await page.fill('input[name=find]', name.slice(0, -2).toLowerCase());
      await page.click('.choose button');
      await page.getByRole('link', { name: `Add ${name}` }).waitFor();
      if (name === 'Warm water 1') assert.deepEqual(await findBarriers(page, ['wcag2a', 'wcag2aa']), []);
      await page.getByRole('link', { name: `Add ${name}` }).click();
      await page.waitForSelector(DRAWN);
    }
    const readings = await texts(page.locator('figure').first().locator('.reading'));
    assert.equal(readings.length, 5);
    assert.match(readings[1] ?? '', /^Blood bank 1 [\d.]+ °C$/);
    assert.equal(await page.locator('input[name=find]').count(), 0);
    const minutesAgo = (minutes: number) => Date.now() / 1_000 - minutes * 60;
    const isFirstDrawn = async (minutes: number) =>
      ((await page.evaluate(`(${WHERE_DRAWN})(${minutesAgo(minutes)})`)) as { near: boolean }).near;
    assert.deepEqual(
      [await isFirstDrawn(600), await isFirstDrawn(760)],
      [true, false],
      'a gap of the first device',
    );
    await page.focus('[data-curve]');
    await page.keyboard.press('+');
    await seen();
    assert.equal(await page.locator('figure').first().locator('.reading').count(), 5);
    await page.getByRole('link', { name: 'Remove Blood bank 1' }).click();
    await page.waitForSelector(DRAWN);
    assert.equal(await page.locator('figure').first().locator('.reading').count(), 4);
    await seen();
  });

  it('puts up no barriers at any width, alone and compared, in light and dark', async () => {
    const compared = others.slice(0, 4).map(({ id }) => `&with=${id}`);
    for (const query of ['?span=day', `?span=day${compared.join('')}`])
      for (const [width, height] of SIZES) {
        await page.setViewportSize({ width, height });
        await open(query);
        await page.click('.happened summary');
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        assert.ok(Number(overflow) <= 0, `${overflow} px too wide at ${width}`);
        // One width is enough for the colours at night.
        const isFirst = width === SIZES[0][0];
        assert.deepEqual(
          await findBarriers(page, isFirst ? undefined : LAYOUT_RULES),
          [],
          `${query} at ${width}`,
        );
        if (!isFirst) continue;
        await page.emulateMedia({ colorScheme: 'dark' });
        assert.deepEqual(await findBarriers(page, COLOUR_RULES), [], `${query} at ${width} in dark`);
        await page.emulateMedia({ colorScheme: 'light' });
      }
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('draws new readings without a reload, while the span ends now', async () => {
    await register(dms, 'LIVE-1');
    const send = (value: number, minutesAgo: number) =>
      sendTemperature(dms, 'LIVE-1', value, new Date(Date.now() - minutesAgo * 60_000));
    await send(4, 9);
    const [{ id }] = (await dms.api.get('/assets?serialNumber=LIVE-1')).body.items;
    await page.mouse.move(0, 0);
    await open('', id);
    assert.match((await page.textContent('figcaption')) ?? '', /4 to 4 °C/);
    await send(6, 1);
    await watchAtOnce(page);
    await page.waitForSelector('figcaption:text("4 to 6")');
  });

  it('says what is wrong when the curve cannot be read', async () => {
    await page.route('**/curve?*', (route) => route.fulfill({ status: 500, body: '{}' }));
    await page.goto(`${dms.baseUrl}/operator/devices/${fleet.assetId}`);
    await page.waitForSelector('.curves > .empty:text("could not be read")');
    await page.unroute('**/curve?*');
    shown.forgive(500);
  });

  it('shows times in the zone of the reader, says the zone, and sends fields in UTC', async () => {
    await open();
    assert.match(
      (await page.textContent('footer')) ?? '',
      /Times are in Asia\/(Kolkata|Calcutta) \(UTC\+5:30\)\./,
    );
    const time = page.locator('time').first();
    assert.match((await time.getAttribute('title')) ?? '', /GMT\+5:30$/);
    const until = page.locator('time[data-clock=""]').first();
    const untilMs = Date.parse((await until.getAttribute('datetime')) ?? '') + ZONE_OFFSET_MS;
    isNear(Date.parse(`${await until.textContent()} UTC`), untilMs, 60_000);
    await page.goto(`${dms.baseUrl}/operator/exports?from=2026-03-02T08:15:00Z&all=true`);
    assert.equal(await page.inputValue('#from'), '2026-03-02T13:45');
    assert.equal(await page.textContent('[data-zone-of=from]'), 'UTC+5:30');
    await page.fill('#to', '2026-03-02T14:45');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('button.main')]);
    const { searchParams } = new URL(download.url());
    assert.equal(searchParams.get('from'), '2026-03-02T08:15');
    assert.equal(searchParams.get('to'), '2026-03-02T09:15');
  });
});

/**
 * Whether the curve is drawn at that time, and a little later, where nothing was measured, and the lowest pixel of it at
 * that time. Decided in the browser, by the pixels with the colour of curves.
 */
const WHERE_DRAWN = `async (atS) => {
  const { from, to } = await (await fetch(location.pathname + '/curve' + location.search)).json();
  const canvas = document.querySelector('figure canvas');
  const area = document.querySelector('figure .u-over').getBoundingClientRect();
  const corner = canvas.getBoundingClientRect();
  const scale = canvas.width / corner.width;
  const probe = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d');
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--accent').trim();
  probe.fillRect(0, 0, 1, 1);
  const accent = probe.getImageData(0, 0, 1, 1).data;
  const lowest = (left, right) => {
    const { data, width } = canvas.getContext('2d').getImageData(left * scale, 0, Math.max(1, (right - left) * scale), canvas.height);
    for (let i = data.length - 4; i >= 0; i -= 4)
      if (accent.every((each, channel) => Math.abs(each - data[i + channel]) < 40)) return Math.floor(i / 4 / width);
    return null;
  };
  const isDrawn = (left, right) => lowest(left, right) !== null;
  const x = area.left - corner.left + ((atS - from) / (to - from)) * area.width;
  return { near: isDrawn(x - 4, x + 4), beside: isDrawn(x + 20, x + 30), y: lowest(x - 1, x + 1) };
}`;
