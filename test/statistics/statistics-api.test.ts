/** GET /assets/{assetId}/statistics, over readings that a device sent. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { inflateSync } from 'node:zlib';
import { query } from '../../src/db/query.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/process/durations.ts';
import { createCurves } from '../../src/statistics/curve.ts';
import { channelLines } from '../../src/statistics/record-text.ts';
import { createStatisticsPage } from '../../src/statistics/statistics-page.service.ts';
import { findTestProgram } from '../runner/programs.ts';
import { apply, applyAnswer, createProfile, FREEZER, FRIDGE, register } from '../support/fleet.ts';
import { openLogger } from '../support/logger.ts';
import { SENSOR_ERROR } from '../support/logger-payloads.ts';
import { useService } from '../support/service.ts';

/** After the registration by the database's clock: the service is some hours ahead of it. */
const START = (Math.ceil(Date.now() / HOUR_MS) + 1) * HOUR_MS;
const NOW = START + 6 * HOUR_MS;
const time = (minutes: number) => new Date(START + minutes * MINUTE_MS).toISOString();

describe('Statistics of a device', () => {
  let assetId: string;
  /** This device never reports. */
  let newId: string;
  /** This device gets other bounds after an hour. */
  let steppedId: string;
  let now = START;

  const dms = useService({ withWorker: false, now: () => new Date(now) });
  before(async () => {
    assetId = await register(dms, 'FRIDGE', {
      name: 'Kühlschrank Süd',
      buildingId: 'B',
      spaceId: 'S',
      floor: 2,
    });
    const slug = await createProfile(dms, {
      slug: 'fridge',
      ...FRIDGE,
      intervals: { measurementIntervalMinutes: 5 },
    });
    await apply(dms, slug, { serialNumbers: ['FRIDGE'] });
    await applyAnswer(dms, 'FRIDGE');
    newId = await register(dms, 'NEW');
    await apply(dms, slug, { serialNumbers: ['NEW'] });
    steppedId = await register(dms, 'STEPPED');
    await apply(dms, slug, { serialNumbers: ['STEPPED'] });
    await applyAnswer(dms, 'STEPPED');
    now = START + HOUR_MS;
    await apply(dms, await createProfile(dms, { slug: 'freezer', ...FREEZER }), {
      serialNumbers: ['STEPPED'],
    });
    await applyAnswer(dms, 'STEPPED');
    now = NOW;
  });

  const get = (query: string, accept?: string) =>
    dms.api.get(`/assets/${assetId}/statistics${query}`, accept ? { headers: { accept } } : {});

  /** The PDF of an asset. */
  async function pdfOf(id: string, span = `from=${time(0)}&to=${time(180)}`): Promise<Buffer> {
    const headers = { accept: 'application/pdf' };
    return (await dms.api.get(`/assets/${id}/statistics?${span}`, { headers })).bytes;
  }

  /** Registers a device that has run the profile since the start. */
  async function registerRunning(serial: string, slug = 'fridge', more: object = {}): Promise<string> {
    const id = await register(dms, serial, more);
    now = START;
    await apply(dms, slug, { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    now = NOW;
    return id;
  }

  /** Sends one reading of each channel. */
  async function measure(
    serial: string,
    minutes: number,
    value: number,
    { type = 'temperature', channelCount = 1 } = {},
  ): Promise<void> {
    const measuredAt = time(minutes);
    const readings = Array.from({ length: channelCount }, (_, index) => {
      return { channel: index + 1, type, value, measuredAt };
    });
    const { status, text } = await dms.device.post(`/devices/${serial}/measurements`, { readings });
    assert.equal(status, 202, text);
  }

  /** A temperature every 5 minutes, and a humidity; more than one page of the history. */
  async function send(): Promise<void> {
    const readings = Array.from({ length: 24 }, (_, index) => [
      { channel: 1, type: 'temperature', value: index < 4 ? 9 : 5, measuredAt: time(5 * index) },
      { channel: 2, type: 'humidity', value: 40 + index, measuredAt: time(5 * index) },
    ]).flat();
    const { status, text } = await dms.device.post('/devices/FRIDGE/measurements', { readings });
    assert.equal(status, 202, text);
  }

  it('shows no channel before the first reading', async () => {
    const { body } = await get(`?from=${time(0)}&to=${time(180)}`);
    assert.deepEqual(body, { channels: [], mutedSpans: [] });
    const { status, bytes } = await get(`?from=${time(0)}&to=${time(180)}`, 'application/pdf');
    assert.deepEqual([status, bytes.subarray(0, 5).toString()], [200, '%PDF-']);
  });

  it('shows each channel with its alert bounds and its gaps', async () => {
    await send();
    const { status, body, text } = await get(`?from=${time(0)}&to=${time(180)}`);
    assert.equal(status, 200, text);
    const [temperature, humidity, ...others] = body.channels;
    assert.deepEqual(others, []);
    const { meanKineticTemperature, avg, ...rest } = temperature;
    assert.deepEqual(rest, {
      channel: 1,
      position: 'probe',
      type: 'temperature',
      unit: '°C',
      count: 24,
      min: 5,
      max: 9,
      alerts: [
        {
          type: 'range',
          lowC: 2,
          highC: 8,
          severity: 'critical',
          from: time(0),
          to: time(180),
          secondsOutside: 1_200,
        },
      ],
      withoutBounds: [],
      readings: 24,
      expectedReadings: 36,
      expectedFrom: time(0),
      completenessPercent: 66.67,
      gaps: [{ from: time(125), to: time(180) }],
      gapCount: 1,
    });
    assert.equal(avg, 5.667);
    assert.ok(meanKineticTemperature > avg && meanKineticTemperature < 9);
    assert.deepEqual(
      [humidity.min, humidity.max, humidity.meanKineticTemperature, humidity.alerts],
      [40, 63, null, []],
    );
  });

  it('ends at the present, without a gap after it', async () => {
    const { body } = await get(`?from=${time(0)}&to=2999-01-01T00:00:00Z`);
    assert.equal(body.success, false);
    const ahead = new Date(NOW + 24 * HOUR_MS).toISOString();
    const { body: found } = await get(`?from=${time(0)}&to=${ahead}`);
    assert.equal(found.channels[0].gaps.at(-1).to, new Date(NOW).toISOString());
  });

  it('uses the pending bounds of a device before its first report', async () => {
    await measure('NEW', 0, 9);
    const { body } = await dms.api.get(`/assets/${newId}/statistics?from=${time(0)}&to=${time(5)}`);
    assert.deepEqual(body.channels[0].alerts, [
      {
        type: 'range',
        lowC: 2,
        highC: 8,
        severity: 'critical',
        from: time(0),
        to: time(5),
        secondsOutside: 300,
      },
    ]);
  });

  it('draws the same as one page of PDF, for any name of the asset', async () => {
    const { status, headers, bytes } = await get(`?from=${time(0)}&to=${time(180)}`, 'application/pdf');
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'application/pdf');
    const [from, to] = [time(0).slice(0, 10), time(180).slice(0, 10)];
    assert.equal(headers['content-disposition'], `attachment; filename="FRIDGE-${from}-${to}.pdf"`);
    const text = bytes.toString('latin1');
    assert.match(text, /^%PDF-/);
    assert.match(text, /%%EOF\s*$/);
    assert.equal(text.match(/\/Type \/Page\b(?!s)/g)?.length, 1);
  });

  it('shows names in the letters of other scripts in the PDF', async function () {
    const pdftotext = findTestProgram('pdftotext');
    if (pdftotext === null) return this.skip();
    const names = ['Хладилник', 'Łódź', 'Ψυγείο', 'Ω'];
    const id = await register(dms, 'SCRIPTS', { name: names.join(' ') });
    const { stdout } = spawnSync(pdftotext, ['-', '-'], { input: await pdfOf(id), encoding: 'utf8' });
    for (const name of names) assert.ok(stdout.includes(name), stdout);
  });

  it('names in the PDF the asset, the settings in force, and the author', async () => {
    const { bytes } = await get(
      `?from=${time(0)}&to=${time(180)}&timezone=Europe/Stockholm`,
      'application/pdf',
    );
    const text = textsOf(bytes).join('\n');
    const local = (minutes: number) =>
      new Date(time(minutes)).toLocaleString('sv-SE', { timeZone: 'Europe/Stockholm' });
    for (const part of [
      /^Organization: test /m,
      /^Name: Kühlschrank Süd$/m,
      /^Building: B$/m,
      /^Space: S$/m,
      /^Floor: 2$/m,
      `Logger: FRIDGE, ${local(0)} to ${local(180)}`,
      `Span: ${local(0)} to ${local(180)}`,
      /^Time zone: Europe\/Stockholm, at the beginning UTC\+0[12]:00/m,
      `Made: ${local(360)} by dms_live_`,
      `${local(0)} to ${local(180)}: profile Vaccine fridge (fridge), confirmed by the logger`,
      'probe (channel 1): 2 to 8 °C, measured every 5 min, transmitted every 1 h',
      'readings 24 of 36, 66.67 %   gaps 1',
      '2 to 8 °C: 20 min outside',
      'Name and signature',
      /^FRIDGE, page 1 of 1$/m,
    ])
      assert.match(text, part instanceof RegExp ? part : new RegExp(escaped(part)));
  });

  it('lists in the PDF each alert with its values, times, acknowledgement and comments', async () => {
    const id = await registerRunning('ALARM');
    const words = Array.from({ length: 80 }, (_, index) => `word${index}`);
    await measure('ALARM', 10, 9);
    const { body: open } = await dms.api.get(`/alerts?assetId=${id}`);
    const handled = await dms.api.patch(`/alerts/${open.items[0].id}`, {
      status: 'acknowledged',
      comment: words.join('\n'),
    });
    assert.equal(handled.status, 200, handled.text);
    await measure('ALARM', 30, 5);
    await measure('ALARM', 40, 1);
    const texts = textsOf(await pdfOf(id, `from=${time(20)}&to=${time(180)}`));
    const utc = (minutes: number) => time(minutes).slice(0, 19).replace('T', ' ');
    const listed = texts.slice(texts.indexOf('Alerts') + 1).map((text) => text.trim());
    assert.equal(
      listed[0],
      `${utc(10)} to ${utc(30)}: too warm, critical, probe (channel 1): 9 °C at first, bounds 2 to 8 °C`,
    );
    assert.match(String(listed[1]), /^Acknowledged by dms_live_.+, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    const second = listed.findIndex((text) => text.startsWith(`${utc(40)} to now, still open: too cold`));
    const comment = listed.slice(2, second).join(' ');
    assert.match(comment, /^Comment by dms_live_.+, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d: word0 word1 /);
    assert.deepEqual(comment.match(/word\d+/g), words);
    assert.equal(listed[second + 1], 'Not acknowledged');
    await dms.api.delete(`/assets/${id}`);
  });

  it('says in the PDF of an excursion in late data that it was over, in place of who acknowledged it', async () => {
    const id = await registerRunning('LATE');
    await measure('LATE', 60, 5);
    await measure('LATE', 20, 9);
    const texts = textsOf(await pdfOf(id)).map((text) => text.trim());
    const listed = texts.slice(texts.indexOf('Alerts') + 1);
    assert.match(String(listed[0]), /: too warm, critical, probe \(channel 1\): 9 °C at first/);
    assert.ok(listed.includes('Found in late data: it was over by then'));
    assert.doesNotMatch(texts.join('\n'), /Not acknowledged/);
    await dms.api.delete(`/assets/${id}`);
  });

  it('says in the PDF who acknowledged each listed alert, and counts alerts and comments that are not listed', async () => {
    const id = await register(dms, 'NOISY');
    const { sql } = dms.service;
    await sql.raw(
      `insert into alerts (organization_id, asset_id, serial_number, type, status, details, started_at, ended_at)
       select ?, ?, 'NOISY', 'low_battery', 'resolved', '{}', ?, ? from generate_series(1, 560)`,
      [dms.id, id, time(10), time(20)],
    );
    const act = (action: string, comment: string | null, of: string) =>
      sql.raw(
        `insert into alert_actions (organization_id, alert_id, action, actor, comment)
         select organization_id, id, ?, '{"keyId": null, "name": "Ada"}', ? from alerts ${of}`,
        [action, comment],
      );
    await act('acknowledged', null, `where asset_id = '${id}'`);
    await act(
      'commented',
      'The battery was changed',
      `cross join generate_series(1, 201) where id = (select id from alerts where asset_id = '${id}' order by id desc limit 1)`,
    );
    const texts = textsOf(await pdfOf(id)).map((text) => text.trim());
    const countOf = (start: string) => texts.filter((text) => text.startsWith(start)).length;
    assert.deepEqual(
      ['Acknowledged by Ada', 'Not acknowledged', 'Comment by Ada'].map(countOf),
      [40, 0, 200],
    );
    assert.ok(texts.includes('520 earlier alerts are not listed.'), texts.slice(0, 20).join(' | '));
    assert.ok(texts.includes('1 earlier comment is not listed.'), texts.slice(0, 20).join(' | '));
  });

  it('ends the comments of the PDF at 20,000 characters, and divides words that are longer than a line', async () => {
    const id = await register(dms, 'TALKED-ABOUT');
    await dms.service.sql.raw(
      `with alert as (
         insert into alerts (organization_id, asset_id, serial_number, type, status, details, started_at, ended_at)
         values (?, ?, 'TALKED-ABOUT', 'low_battery', 'resolved', '{}', ?, ?) returning organization_id, id
       )
       insert into alert_actions (organization_id, alert_id, action, actor, comment)
       select organization_id, id, 'commented', '{"keyId": null, "name": "Ada"}', repeat('Q', 2000)
       from alert cross join generate_series(1, 15)`,
      [dms.id, id, time(10), time(20)],
    );
    const text = textsOf(await pdfOf(id)).join(' ');
    assert.equal(text.match(/Comment by Ada/g)?.length, 10);
    assert.match(text, /5 earlier comments are not listed\./);
    assert.deepEqual([text.match(/Q{20,}/g)?.join('').length, text.match(/Q{61}/)], [20_000, null]);
  });

  it('lets other requests be answered between texts of the PDF that take long', async () => {
    /** Texts that were drawn in each turn; one is measured first, and then written. */
    const turns: string[][] = [];
    const toPage = createStatisticsPage({
      pace: async (_organizationId, piece) => {
        turns.push([]);
        return piece();
      },
      now: () => new Date(NOW),
      loadFonts: async () => ({
        drawWith(_page, text, draw) {
          turns.at(-1)?.push(text);
          const endsAt = performance.now() + (text.includes('The door stood open') ? 21 : 0);
          draw();
          while (performance.now() < endsAt);
        },
      }),
    });
    const comments = Array.from({ length: 5 }, (_, index) => ({
      at: new Date(START + index),
      action: 'commented' as const,
      by: null,
      comment: 'The door stood open',
    }));
    const alert = { id: '', from: START, to: NOW, startedAt: new Date(START), endedAt: new Date(NOW) };
    const asset = { organizationName: 'O', name: 'N', serialNumber: 'S', buildingId: null, spaceId: null };
    await toPage(
      dms.id,
      [
        {
          ...{
            from: START,
            to: NOW,
            settings: [],
            profileNames: new Map(),
            mutedSpans: [],
            channels: [],
            alertCount: 1,
            furtherComments: 0,
          },
          asset: {
            ...{ ...asset, floor: null, registeredAt: new Date(START), archivedAt: null, model: null },
            ...{ channelTypes: null, measuredChannels: [], replacements: [] },
          },
          alerts: [],
          curves: createCurves({ from: START, to: NOW }, 1),
          listed: [
            {
              ...{
                ...alert,
                type: 'low_battery',
                severity: 'warning',
                details: {},
                extreme: null,
                late: false,
              },
              actions: comments,
            },
          ],
        },
      ],
      { madeBy: 'Ada', timezone: 'UTC' },
    );
    const slow = turns.map((texts) => texts.filter((text) => text.includes('The door stood open')).length);
    assert.deepEqual(
      slow.filter((count) => count > 0),
      comments.map(() => 2),
    );
  });

  it('shows in the PDF names, settings and times out of bounds of any length, and every channel', async () => {
    const slug = await createProfile(dms, {
      slug: `${'w'.repeat(60)}-end`,
      ...FRIDGE,
      temperatureAlerts: [5, 6, 7, 8].map((highC) => ({
        type: 'high',
        channel: 'probe',
        highC: highC + 0.5,
      })),
    });
    const id = await registerRunning('LONG', slug, { name: `${'Room '.repeat(22)}North` });
    await measure('LONG', 50, 5, { type: 'humidity', channelCount: 6 });
    await measure('LONG', 60, 5, { channelCount: 6 });
    const texts = textsOf(await pdfOf(id));
    assert.equal(texts.filter((text) => /^Channel \d: /.test(text)).length, 12);
    const text = texts.join(' ').replace(/\s+/g, ' ');
    assert.match(text, /Name: (Room ){22}North/);
    assert.match(text, /profile Vaccine fridge \(w+-end\), confirmed by the logger/);
    assert.match(
      text,
      /(ambient \(channel 1\): up to \d\.5 °C, ){4}measured every \w+ \w+, transmitted every 1 h/,
    );
  });

  it('has a line in the PDF for each time of bounds, with both its ends, and for the time without bounds', () => {
    const bounds = Array.from({ length: 13 }, (_, index) => ({
      lowC: null,
      highC: index,
      severity: 'critical' as const,
      from: 1_000 * index,
      to: 1_000 * (index + 1),
      secondsOutside: 60 * index,
    }));
    const counts = { readings: 1, expectedReadings: 1, completenessPercent: 100, gapCount: 0, count: 0 };
    const channel = {
      ...counts,
      channel: 1,
      type: 'temperature',
      position: null,
      unit: '°C',
      expectedFrom: 0,
    };
    const withoutBounds = [{ from: 0, to: 60_000 }];
    const span = { from: 0, to: 13_000 };
    const lines = channelLines({ ...channel, alerts: bounds, withoutBounds } as never, span, 'UTC');
    assert.deepEqual(lines.slice(3), [
      'up to 0 °C, 1970-01-01 00:00:00 to 1970-01-01 00:00:01: 0 s outside',
      ...bounds.slice(1, 12).map(({ highC, from, to }) => {
        const times = [from, to].map((at) => `1970-01-01 00:00:${String(at / 1_000).padStart(2, '0')}`);
        return `up to ${highC} °C, ${times.join(' to ')}: ${highC} min outside`;
      }),
      '1 later bounds are not listed.',
      'without bounds 1 min',
    ]);
  });

  it('begins the logger in the PDF with its registration', async () => {
    const id = await register(dms, 'FRESH');
    const { body: asset } = await dms.api.get(`/assets/${id}`);
    await measure('FRESH', 10, 5);
    const text = textsOf(await pdfOf(id, `from=${time(-30 * 24 * 60)}&to=${time(180)}`)).join('\n');
    const utc = (iso: string) => iso.slice(0, 19).replace('T', ' ');
    assert.ok(text.includes(`Logger: FRESH, ${utc(asset.createdAt)} to ${utc(time(180))}\n`), text);
    assert.ok(text.includes(`Registered: ${utc(asset.createdAt)}\n`), text);
    assert.ok(text.includes('No alerts in this time.'), text);
  });

  it('answers a span before the registration with nothing, and says in the PDF why', async () => {
    const id = await register(dms, 'LATER');
    const span = 'from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z';
    const { status, body } = await dms.api.get(`/assets/${id}/statistics?${span}`);
    assert.deepEqual([status, body.channels], [200, []]);
    const text = textsOf(await pdfOf(id, span)).join('\n');
    assert.match(text, /^No readings in this time: the device was registered later, at \d{4}-[^.]+\.$/m);
    assert.doesNotMatch(text, /^Logger:/m);
    const lines = await dms.api.get(`/measurements?${span}&assetIds=${id}`);
    assert.deepEqual([lines.status, lines.text], [200, '']);
    const headers = { accept: 'text/csv' };
    const table = await dms.api.get(`/measurements?${span}&assetIds=${id}`, { headers });
    assert.equal(table.text.trimEnd().split('\n').length, 1);
  });

  it('labels the axes of the PDF with the unit, the zone, round values and times, and the bounds', async () => {
    const query = `?from=${time(0)}&to=${time(180)}&timezone=Asia/Kolkata`;
    const texts = textsOf((await get(query, 'application/pdf')).bytes);
    for (const text of ['°C', 'Times in Asia/Kolkata', 'at least 2 °C', 'at most 8 °C', '4'])
      assert.ok(texts.includes(text), `${text} in ${texts.join(' | ')}`);
    assert.ok(
      texts.some((text) => /^\d{4}-\d\d-\d\d \d\d:[03]0$/.test(text)),
      texts.join(' | '),
    );
  });

  it('draws the bounds of each time as a step', async () => {
    await measure('STEPPED', 30, 5);
    const query = `from=${time(0)}&to=${time(120)}`;
    const { body } = await dms.api.get(`/assets/${steppedId}/statistics?${query}`);
    const span = (from: number, to: number) => ({ from: time(from), to: time(to) });
    assert.deepEqual(body.channels[0].alerts, [
      { type: 'range', lowC: 2, highC: 8, severity: 'critical', ...span(0, 60), secondsOutside: 0 },
      { type: 'range', lowC: -25, highC: -15, severity: 'critical', ...span(60, 120), secondsOutside: 0 },
    ]);
    const [first, second, third, fourth, ...others] = horizontalStrokesOf(await pdfOf(steppedId, query));
    // The last two belong to the signature.
    assert.equal(others.length, 2);
    assert.deepEqual([first, third], [second, fourth]);
    assert.equal(first?.[1], third?.[0]);
  });

  it('numbers the pages of the PDF, and uses several for many channels', async () => {
    const id = await register(dms, 'MANY');
    await measure('MANY', 60, 40, { type: 'humidity', channelCount: 6 });
    const numbers = textsOf(await pdfOf(id)).filter((text) => text.startsWith('MANY, page'));
    assert.deepEqual(numbers, ['MANY, page 1 of 3', 'MANY, page 2 of 3', 'MANY, page 3 of 3']);
  });

  it('keeps the signature of the PDF on the page of the last channel', async () => {
    for (const count of [1, 2, 3, 4, 5]) {
      const id = await register(dms, `SIGNED-${count}`);
      await measure(`SIGNED-${count}`, 60, 40, { type: 'humidity', channelCount: count });
      const signed = pagesOf(await pdfOf(id)).find((texts) => texts.includes('Name and signature')) ?? [];
      assert.ok(
        signed.some((text) => text.startsWith(`Channel ${count}: humidity`)),
        signed.join(' | '),
      );
    }
  });

  it('says in the PDF that there were more readings than expected, and since when they were', () => {
    const counts = { readings: 23, expectedReadings: 22, completenessPercent: 100, gapCount: 1 };
    const channel = { channel: 1, type: 'temperature', position: null, unit: '°C', count: 0 };
    const measured = { ...channel, ...counts, alerts: [], withoutBounds: [], expectedFrom: 1_000 } as never;
    const [, , whole] = channelLines(measured, { from: 1_000, to: 9_000 }, 'UTC');
    assert.equal(whole, 'readings 23, more than the 22 expected, 100 %   gaps 1');
    const [, , part] = channelLines(measured, { from: 0, to: 9_000 }, 'UTC');
    assert.equal(part, 'readings 23, more than the 22 expected, 100 %, since 1970-01-01 00:00:01   gaps 1');
  });

  it('says since when readings were expected, where the first one came within the span', async () => {
    await send();
    const { body } = await get(`?from=${time(-60)}&to=${time(180)}`);
    const [{ expectedFrom, expectedReadings, completenessPercent }] = body.channels;
    assert.deepEqual([expectedFrom, expectedReadings, completenessPercent], [time(0), 36, 66.67]);
  });

  it('begins the PDF of several devices with their curves in one picture, and has a record of each', async () => {
    const others = [await register(dms, 'BESIDE-1', { name: 'Beside' }), await register(dms, 'BESIDE-2')];
    await measure('BESIDE-1', 90, 5);
    await measure('BESIDE-2', 90, 6);
    const span = `?from=${time(0)}&to=${time(180)}`;
    const { status, headers, bytes } = await get(`${span}&with=${others}`, 'application/pdf');
    assert.equal(status, 200);
    assert.match(String(headers['content-disposition']), /FRIDGE-and-2-more-/);
    const texts = textsOf(bytes);
    const together = texts.slice(0, texts.indexOf('Settings in force'));
    assert.equal(together[0], '3 devices');
    assert.equal(together.filter((text) => text === '°C').length, 1, together.join(' | '));
    for (const line of [
      'Beside (BESIDE-1), channel 1: samples 1   min 5',
      'BESIDE-2 (BESIDE-2), channel 1: samples 1   min 6',
    ])
      assert.ok(
        together.some((text) => text.startsWith(line)),
        `${line} in ${together.join(' | ')}`,
      );
    assert.deepEqual(
      texts.filter((text) => text.startsWith('Logger: ')).map((text) => text.split(/[:,] /)[1]),
      ['FRIDGE', 'BESIDE-1', 'BESIDE-2'],
    );
    assert.ok(texts.includes('3 devices, page 1 of 4'));
    const stranger = await register(await dms.addOrganization(), 'STRANGE');
    assert.equal((await get(`${span}&with=${stranger}`, 'application/pdf')).status, 404);
    assert.equal((await get(`${span}&with=${others}`)).status, 400);
    assert.equal((await get(`${span}&with=x`, 'application/pdf')).status, 400);
  });

  it('shows a single reading in the curve of the PDF', async () => {
    const id = await register(dms, 'LONE');
    await measure('LONE', 90, 5);
    const [stroke, ...others] = verticalStrokesOf(await pdfOf(id));
    assert.deepEqual(others, []);
    assert.ok(stroke !== undefined && stroke >= 0.9, `${stroke} points high`);
  });

  it('reports a span without readings as missing, with the time that the value before it was out of bounds, also behind a sensor error', async () => {
    const id = await registerRunning('282C0200DEAD');
    const { token } = await dms.issueKey(dms.id, 'device');
    const logger = await openLogger({ serial: '282C0200DEAD', coapPort: dms.coapPort, token });
    await logger.measure({ values: [9, 9, SENSOR_ERROR], at: new Date(time(10)), periodSeconds: 300 });
    logger.close();
    const channelOf = async (from: number, to: number) =>
      (await dms.api.get(`/assets/${id}/statistics?from=${time(from)}&to=${time(to)}`)).body.channels[0];
    const dead = await channelOf(60, 120);
    assert.deepEqual(
      [dead.count, dead.readings, dead.expectedReadings, dead.completenessPercent, dead.gaps, dead.min],
      [0, 0, 12, 0, [{ from: time(60), to: time(120) }], null],
    );
    const between = await channelOf(11, 14);
    assert.deepEqual([between.readings, between.gaps, between.alerts[0].secondsOutside], [0, [], 180]);
    await dms.api.delete(`/assets/${id}`);
  });

  it('shows a channel as missing that fell out long before the span, however much others have measured since', async () => {
    const id = await register(dms, 'HALF');
    const readings = [
      { channel: 2, type: 'temperature', value: 5, measuredAt: time(0) },
      ...Array.from({ length: 60 }, (_, index) => ({
        channel: 1,
        type: 'temperature',
        value: 5,
        measuredAt: time(1 + index),
      })),
    ];
    await dms.device.post('/devices/HALF/measurements', { readings });
    const { body } = await dms.api.get(`/assets/${id}/statistics?from=${time(50)}&to=${time(61)}`);
    assert.deepEqual(
      body.channels.map(({ channel, readings }: { channel: number; readings: number }) => [
        channel,
        readings,
      ]),
      [
        [1, 11],
        [2, 0],
      ],
    );
  });

  it('refuses a span within which the settings changed ten thousand times, and no shorter one', async () => {
    const flipping = await register(dms, 'FLIPPING');
    await query(
      dms.service.sql,
      `insert into device_settings (organization_id, asset_id, from_at, measurement_period_seconds, source)
       select organization_id, id, ?::timestamptz + n * interval '1 second', 60 + n % 2, 'frame'
       from assets cross join generate_series(1, 10100) as n where id = ?`,
      [time(0), flipping],
    );
    const statusFrom = async (minute: number) =>
      (await dms.api.get(`/assets/${flipping}/statistics?from=${time(minute)}&to=${time(180)}`)).status;
    assert.deepEqual([await statusFrom(0), await statusFrom(3)], [400, 200]);
  });

  it('refuses missing, empty and too long spans', async () => {
    for (const query of [
      '',
      `?from=${time(0)}`,
      `?from=${time(10)}&to=${time(10)}`,
      `?from=2020-01-01T00:00:00Z&to=2021-02-05T00:00:01Z`,
      `?from=${time(0)}&to=${time(10)}&timezone=Mars/Olympus`,
    ]) {
      assert.equal((await get(query)).status, 400, query);
    }
    assert.equal((await get('?from=2020-01-01T00:00:00Z&to=2021-02-04T00:00:00Z')).status, 200);
  });
});

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const contentsOf = (pdf: Buffer): string => streamsOf(pdf).join('\n');

const streamsOf = (pdf: Buffer): string[] =>
  [...pdf.toString('latin1').matchAll(/\/FlateDecode\s*>>\s*stream\n(.*?)\nendstream/gs)].map(
    ([, data = '']) => inflateSync(Buffer.from(data, 'latin1')).toString('latin1'),
  );

/** The lines of text, which are encoded as character codes of Windows-1252. */
const textsOf = (pdf: Buffer): string[] => linesOf(contentsOf(pdf));

/** The lines of text of each page, which is a stream of its own. */
const pagesOf = (pdf: Buffer): string[][] => streamsOf(pdf).map(linesOf);

const linesOf = (contents: string): string[] =>
  [...contents.matchAll(/\[([^\]]*)\] TJ/g)].map(([, parts = '']) =>
    [...parts.matchAll(/<([0-9a-f]*)>/g)]
      .map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1'))
      .join(''),
  );

interface Stroke {
  from: [x: number, y: number];
  to: [x: number, y: number];
}

/** Paths of two points. */
const strokesOf = (pdf: Buffer): Stroke[] =>
  [...contentsOf(pdf).matchAll(/^([\d.]+) ([\d.]+) m\s+([\d.]+) ([\d.]+) l$/gm)].map(([, ...points]) => {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = points.map(Number);
    return { from: [x1, y1], to: [x2, y2] };
  });

/** Their heights in points. */
const verticalStrokesOf = (pdf: Buffer): number[] =>
  strokesOf(pdf).flatMap(({ from, to }) => (from[0] === to[0] ? [Math.abs(from[1] - to[1])] : []));

/** Their starts and ends, from the left. */
const horizontalStrokesOf = (pdf: Buffer): Array<[number, number]> =>
  strokesOf(pdf).flatMap(
    ({ from, to }): Array<[number, number]> => (from[1] === to[1] ? [[from[0], to[0]]] : []),
  );
