/** GET /assets/{assetId}/settings: the settings that a device ran, and when. */
import assert from 'node:assert/strict';
import { createUnusedConfigurationsRepository } from '../../src/config-jobs/unused-configurations.repository.ts';
import { createUnusedConfigurationsRemoval } from '../../src/config-jobs/unused-configurations.service.ts';
import { query } from '../../src/db/query.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/process/durations.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  FACTORY,
  FREEZER,
  FRIDGE,
  HOT_WATER,
  register,
  report,
} from '../support/fleet.ts';
import { type Logger, openLogger } from '../support/logger.ts';
import { useService } from '../support/service.ts';
import { statementsOf } from '../support/statements-of.ts';
import { openSteps } from '../support/steps.ts';

const FIVE_MINUTES = { measurementIntervalMinutes: 5 };
/** After the registration by the database's clock: the service is ahead of it. */
const START = (Math.ceil(Date.now() / MINUTE_MS) + 60) * MINUTE_MS;
const time = (minutes: number) => new Date(START + minutes * MINUTE_MS).toISOString();

describe('The settings that a device ran', () => {
  let now = START;
  let serial: string;
  let id: string;
  let count = 0;

  const dms = useService({ withWorker: false, now: () => new Date(now) });
  before(async () => {
    await createProfile(dms, { slug: 'fridge', ...FRIDGE, intervals: FIVE_MINUTES });
    await createProfile(dms, { slug: 'freezer', ...FREEZER });
    await createProfile(dms, { slug: 'hot-water', ...HOT_WATER, intervals: undefined });
  });
  beforeEach(async () => {
    now = START;
    serial = nextSerial();
    id = await register(dms, serial);
  });

  const nextSerial = () => `282C02${(++count).toString(16).padStart(6, '0').toUpperCase()}`;
  const at = (minutes: number) => {
    now = START + minutes * MINUTE_MS;
  };
  async function list(more = '') {
    const { status, body, text } = await dms.api.get(`/assets/${id}/settings${more}`);
    assert.equal(status, 200, text);
    return body.items;
  }
  /** From, to, period, bounds, profile, source. */
  const short = async (more = '') => (await list(more)).map(shortOf);
  const bounds = '2–8';

  it('lists no item for a time without known settings', async () => {
    assert.deepEqual(await short(), []);
  });

  it('begins with the applied settings of a device that has not reported, and continues with its confirmation', async () => {
    at(1);
    await apply(dms, 'fridge', { serialNumbers: [serial] });
    at(2);
    await applyAnswer(dms, serial);
    assert.deepEqual(await short(), [
      [2, null, 300, bounds, 'fridge', 'confirmed'],
      [1, 2, 300, bounds, 'fridge', 'applied'],
    ]);
    assert.deepEqual((await list())[0].alerts, [
      {
        channel: 1,
        type: 'range',
        lowC: 2,
        highC: 8,
        hysteresisC: 0.5,
        severity: 'critical',
        schedule: { always: true },
      },
    ]);
  });

  it('begins a period for other channels with the first reading of the frame that shows them, and the first period where none is known', async () => {
    const send = async (minute: number, ...channels: string[]) => {
      const measured = { type: 'temperature', value: 5, measuredAt: time(minute) };
      const readings = channels.map((channel) => ({ channel, ...measured }));
      assert.equal((await dms.device.post(`/devices/${serial}/measurements`, { readings })).status, 202);
      const items: Item[] = await list();
      return items.map(({ from, source, alerts }) => [minutesOf(from), source, alerts[0]?.channel]);
    };
    at(1);
    await apply(dms, 'fridge', { serialNumbers: [serial] });
    at(5);
    await send(2, 'probe');
    const later = await send(4, 'ambient', 'probe');
    assert.deepEqual(later, [
      [4, 'applied', 2],
      [1, 'applied', 1],
    ]);
    at(6);
    serial = nextSerial();
    id = await register(dms, serial);
    await apply(dms, 'fridge', { serialNumbers: [serial] });
    at(9);
    assert.deepEqual(await send(8, 'ambient', 'probe'), [[6, 'applied', 2]]);
  });

  it('begins no period for pending settings of a device that has reported, or for an equal report', async () => {
    at(1);
    await report(dms, serial, FACTORY);
    at(2);
    await apply(dms, 'fridge', { serialNumbers: [serial] });
    at(3);
    await report(dms, serial, FACTORY);
    assert.deepEqual(await short(), [[1, null, 60, '', null, 'report']]);
  });

  it('names the profile of a confirmation, even if the device ran the same before', async () => {
    at(1);
    await apply(dms, 'fridge', { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    await createProfile(dms, { slug: 'same', ...FRIDGE, intervals: FIVE_MINUTES });
    at(2);
    await apply(dms, 'same', { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    at(3);
    await apply(dms, 'same', { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    assert.deepEqual((await short()).slice(0, 2), [
      [2, null, 300, bounds, 'same', 'confirmed'],
      [1, 2, 300, bounds, 'fridge', 'confirmed'],
    ]);
  });

  it('names the profile that began last of those that a device confirms at once', async () => {
    const serialNumbers = [serial];
    const shown = async () => {
      await applyAnswer(dms, serial);
      return (await list())[0].profileSlug;
    };
    await report(dms, serial, FACTORY);
    for (const slug of ['fridge', 'freezer']) await apply(dms, slug, { serialNumbers });
    at(1);
    assert.equal(await shown(), 'freezer');
    await report(dms, serial, FACTORY);
    const jobId = await apply(dms, 'hot-water', { serialNumbers, startAt: time(2) });
    await apply(dms, 'fridge', { serialNumbers });
    const steps = openSteps(dms, { now: () => new Date(now) });
    await steps.startNow({ organizationId: dms.id, jobId }).finally(steps.close);
    at(3);
    assert.equal(await shown(), 'hot-water');
  });

  it('names the profile of a confirmation by a device that had refused it', async () => {
    at(1);
    await apply(dms, 'fridge', { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    await apply(dms, 'freezer', { serialNumbers: [serial] });
    const { body } = await dms.device.get(`/devices/${serial}/pending-config`);
    for (const [minute, syncStatus] of [
      [2, 'failed'],
      [3, 'applied'],
    ] as const) {
      at(minute);
      const errors = [{ message: 'low memory' }];
      const answer = await report(dms, serial, {
        ...FACTORY,
        measurementPeriodBase: 300,
        ...body.config,
        errors,
      });
      assert.equal(answer.body.syncStatus, syncStatus);
    }
    assert.deepEqual((await short()).slice(0, 2), [
      [3, null, 300, '-25–-15', 'freezer', 'confirmed'],
      [1, 3, 300, bounds, 'fridge', 'confirmed'],
    ]);
  });

  it('names no profile for reported settings that none brought, and the profile again once they are put back', async () => {
    await apply(dms, 'fridge', { serialNumbers: [serial] });
    const { body } = await dms.device.get(`/devices/${serial}/pending-config`);
    const applied = { ...FACTORY, ...body.config };
    await report(dms, serial, applied);
    at(1);
    await report(dms, serial, { ...FACTORY, transmissionInterval: 60 });
    assert.deepEqual((await short())[0], [1, null, 60, bounds, null, 'report']);
    at(2);
    await report(dms, serial, applied);
    assert.deepEqual((await short())[0], [2, null, 300, bounds, 'fridge', 'report']);
  });

  it('names the profile again once other hardware has confirmed it', async () => {
    await apply(dms, 'fridge', { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    const newSerialNumber = nextSerial();
    at(1);
    await dms.api.post(`/assets/${id}/replace-hardware`, { newSerialNumber });
    at(2);
    await report(dms, newSerialNumber, FACTORY);
    assert.equal((await short())[0][4], null);
    at(3);
    await applyAnswer(dms, newSerialNumber);
    assert.deepEqual((await short())[0], [3, null, 300, bounds, 'fridge', 'confirmed']);
  });

  it('stores the longest period of measurement that a device can report, as far as an integer holds it', async () => {
    at(1);
    await report(dms, serial, {
      ...FACTORY,
      measurementPeriodBase: 65_535,
      measurementPeriodFactor: 65_535,
    });
    assert.deepEqual(await short(), [[1, null, 2 ** 31 - 1, '', null, 'report']]);
  });

  it('begins a period at the time of the device, but not before the running one or the registration', async () => {
    at(3);
    await report(dms, serial, { ...FACTORY, reportedAt: '2020-01-01T00:00:00Z' });
    const { createdAt } = (await dms.api.get(`/assets/${id}`)).body;
    assert.equal((await list())[0].from, createdAt);
    at(5);
    await report(dms, serial, { ...FACTORY, measurementPeriodBase: 120, reportedAt: time(4) });
    at(6);
    await report(dms, serial, { ...FACTORY, measurementPeriodBase: 180, reportedAt: time(2) });
    assert.deepEqual((await short()).slice(0, 2), [
      [6, null, 180, '', null, 'report'],
      [4, 6, 120, '', null, 'report'],
    ]);
  });

  describe('by frames', () => {
    let logger: Logger;
    beforeEach(async () => {
      const { token } = await dms.issueKey(dms.id, 'device');
      logger = await openLogger({ serial, coapPort: dms.coapPort, token });
    });
    afterEach(() => logger.close());

    const measure = (minutes: number, periodSeconds: number) => {
      at(minutes);
      return logger.measure({ values: [5], at: new Date(now), periodSeconds });
    };

    it('shows the period of measurement in frames, until another one is reported', async () => {
      at(1);
      await report(dms, serial, FACTORY);
      await measure(2, 30);
      await measure(3, 30);
      at(4);
      await report(dms, serial, FACTORY);
      assert.deepEqual(await short(), [
        [2, null, 30, '', null, 'frame'],
        [1, 2, 60, '', null, 'report'],
      ]);
      at(5);
      await report(dms, serial, { ...FACTORY, measurementPeriodBase: 120 });
      assert.deepEqual((await short())[0], [5, null, 120, '', null, 'report']);
    });

    it('shows no period of frames whose readings are all late', async () => {
      at(1);
      await report(dms, serial, FACTORY);
      await measure(10, 60);
      at(11);
      await logger.measure({ values: [5], at: new Date(START + 5 * MINUTE_MS), periodSeconds: 30 });
      assert.deepEqual(await short(), [[1, null, 60, '', null, 'report']]);
    });

    it('shows the period of measurement in frames while profiles without one are applied and withdrawn', async () => {
      await measure(1, 600);
      at(2);
      await apply(dms, 'freezer', { serialNumbers: [serial] });
      at(3);
      await apply(dms, 'hot-water', { serialNumbers: [serial] });
      at(4);
      await dms.api.post(`/devices/${serial}/config/withdraw`);
      const shown = (await short()).map(([from, , seconds, , profileSlug, source]: unknown[]) => [
        from,
        seconds,
        profileSlug,
        source,
      ]);
      assert.deepEqual(shown, [
        [4, 600, null, 'frame'],
        [3, 600, 'hot-water', 'applied'],
        [2, 600, 'freezer', 'applied'],
        [1, 600, null, 'frame'],
      ]);
    });

    it('needs no further statement for the frames and reports that follow', async () => {
      at(1);
      await report(dms, serial, FACTORY);
      const countOf = async (work: () => Promise<unknown>) =>
        (await statementsOf(dms.service.sql, work)).length;
      for (const minute of [2, 2.1]) await measure(minute, 60);
      const steady = await countOf(() => measure(3, 60));
      const other = await countOf(() => measure(4, 30));
      const next = await countOf(() => measure(5, 30));
      assert.equal(next, steady);
      assert.ok(other > steady);
      const same = await countOf(() => report(dms, serial, FACTORY));
      const changing = await countOf(() => report(dms, serial, { ...FACTORY, transmissionInterval: 60 }));
      assert.ok(same < changing, `${same} ${changing}`);
    });
  });

  it('begins a period with other hardware, and ends with the archive', async () => {
    at(1);
    await apply(dms, 'fridge', { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    at(2);
    await dms.api.post(`/assets/${id}/replace-hardware`, { newSerialNumber: nextSerial() });
    at(3);
    assert.equal((await dms.api.delete(`/assets/${id}`)).status, 200);
    assert.deepEqual(await short(), [
      [2, 3, 300, bounds, 'fridge', 'applied'],
      [1, 2, 300, bounds, 'fridge', 'confirmed'],
    ]);
  });

  it('ends what was applied to a device that has not reported when it is withdrawn', async () => {
    at(1);
    await apply(dms, 'fridge', { serialNumbers: [serial] });
    at(2);
    await dms.api.post(`/devices/${serial}/config/withdraw`);
    at(3);
    await apply(dms, 'freezer', { serialNumbers: [serial] });
    assert.deepEqual(await short(), [
      [3, null, null, '-25–-15', 'freezer', 'applied'],
      [1, 2, 300, bounds, 'fridge', 'applied'],
    ]);
  });

  it('lists the items that overlap a span, whole, page by page', async () => {
    for (const minute of [1, 2, 3, 4]) {
      at(minute);
      await report(dms, serial, { ...FACTORY, measurementPeriodBase: 60 * minute });
    }
    const within = `?from=${time(2.5)}&to=${time(4)}`;
    assert.deepEqual(await short(within), [
      [3, 4, 180, '', null, 'report'],
      [2, 3, 120, '', null, 'report'],
    ]);
    const { body } = await dms.api.get(`/assets/${id}/settings${within}&limit=1`);
    const next = await short(`${within}&limit=1&cursor=${body.nextCursor}`);
    assert.deepEqual([...body.items.map(shortOf), ...next], await short(within));
    const mark = body.nextCursor.slice(0, 8);
    assert.deepEqual(await short(`${within}&cursor=${mark}${START + HOUR_MS}`), await short(within));
    const { status } = await dms.api.get(`/assets/${id}/settings?cursor=${mark}${'9'.repeat(15)}`);
    assert.equal(status, 400);
    const { body: none } = await dms.api.get(`/assets/${id}/settings?from=${time(2.5)}&to=${time(2.5)}`);
    assert.deepEqual(none, { items: [], nextCursor: null });
  });

  it('keeps the configurations that past settings refer to', async () => {
    await apply(dms, 'fridge', { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    at(1);
    await apply(dms, 'freezer', { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    await query(dms.service.sql, `update configurations set last_used_at = now() - interval '30 days'`);
    await query(dms.service.sql, 'delete from config_targets');
    await createUnusedConfigurationsRemoval(
      createUnusedConfigurationsRepository(dms.service.sql),
      (_, error) => assert.fail(error as Error),
    )(() => true);
    const { content } = (
      await query<{ content: number }>(dms.service.sql, 'select count(*) as content from configurations')
    )[0] ?? { content: 0 };
    assert.ok(Number(content) > 0);
    assert.deepEqual((await short()).map(([, , , shown]: unknown[]) => shown).slice(0, 2), [
      '-25–-15',
      bounds,
    ]);
  });
});

interface Item {
  from: string;
  to: string | null;
  measurementPeriodSeconds: number | null;
  alerts: Array<{ channel: number; lowC: number | null; highC: number | null }>;
  profileSlug: string | null;
  source: string;
}

const minutesOf = (iso: string | null) => iso && (Date.parse(iso) - START) / MINUTE_MS;

const shortOf = ({ from, to, measurementPeriodSeconds, alerts, profileSlug, source }: Item) => [
  minutesOf(from),
  minutesOf(to),
  measurementPeriodSeconds,
  alerts.map(({ lowC, highC }) => `${lowC}–${highC}`).join(),
  profileSlug,
  source,
];
