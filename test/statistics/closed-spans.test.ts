/**
 * The statistics of a past span stay the same bytes, whatever happens to the device afterwards. Random
 * histories: RECORD_SEED repeats a failure, RECORD_RUNS sets their number.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { query } from '../../src/db/query.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { compactClosedDays } from '../measurements/compact.ts';
import { apply, createProfile, FACTORY, FREEZER, FRIDGE, register, report } from '../support/fleet.ts';
import { openLogger } from '../support/logger.ts';
import { useService } from '../support/service.ts';

const RUNS = Number(process.env.RECORD_RUNS ?? 12);
const SEED = process.env.RECORD_SEED === undefined ? {} : { seed: Number(process.env.RECORD_SEED) };
/** Ahead of the database's clock, by which assets are registered and archived. */
const START = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS + 24 * 60 * MINUTE_MS;
const PROFILES = {
  fridge: { ...FRIDGE, intervals: { measurementIntervalMinutes: 5 } },
  freezer: { ...FREEZER, intervals: { measurementIntervalMinutes: 60, transmissionIntervalSeconds: 7_200 } },
  narrow: { temperatureAlerts: [{ type: 'high', channel: 'probe', highC: 6 }] },
} as const;
const ACTIONS = [
  'measure',
  'measure',
  'frame',
  'frame',
  'apply',
  'confirm',
  'report',
  'report late',
  'replace',
  'rename',
  'withdraw',
  'compact',
] as const;

const steps = fc.array(
  fc.record({
    action: fc.constantFrom(...ACTIONS),
    minutes: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 2_000 })),
    profile: fc.constantFrom('fridge', 'freezer', 'narrow'),
    value: fc.integer({ min: -30, max: 30 }),
    periodMinutes: fc.constantFrom(1, 5, 15),
  }),
  { minLength: 4, maxLength: 24 },
);
type Step = typeof steps extends fc.Arbitrary<Array<infer Each>> ? Each : never;

describe('The statistics of a past span', () => {
  let now = START;
  let loggers = 0;

  const dms = useService({ withWorker: false, now: () => new Date(now) });
  before(async () => {
    for (const [slug, profile] of Object.entries(PROFILES)) await createProfile(dms, { slug, ...profile });
  });

  const nextSerial = () => `282C02${(++loggers).toString(16).padStart(6, '0').toUpperCase()}`;
  const compact = () => compactClosedDays(dms.service.sql, () => new Date(now));

  async function newDevice() {
    const { token } = await dms.issueKey(dms.id, 'device');
    let serial = nextSerial();
    const id = await register(dms, serial);
    let isKnown = false;
    const open = () => openLogger({ serial, coapPort: dms.coapPort, token });
    let logger = await open();

    async function take({ action, minutes, profile, value, periodMinutes }: Step): Promise<void> {
      const at = new Date(now);
      if (action === 'measure') {
        const readings = [{ channel: 1, type: 'temperature', value, measuredAt: at.toISOString() }];
        assert.equal((await dms.device.post(`/devices/${serial}/measurements`, { readings })).status, 202);
      } else if (action === 'frame') {
        // All of it is measured after the previous step.
        const count = Math.min(4, Math.ceil(minutes / periodMinutes));
        const values = Array.from({ length: count }, (_, index) => value + index);
        await logger.measure({ values, at, periodSeconds: 60 * periodMinutes });
      } else if (action === 'apply') {
        await apply(dms, profile, { serialNumbers: [serial] });
      } else if (action === 'confirm') {
        const { body } = await dms.device.get(`/devices/${serial}/pending-config`);
        await report(dms, serial, { ...FACTORY, ...body?.config });
      } else if (action === 'report') {
        await report(dms, serial, { ...FACTORY, measurementPeriodBase: 60 * periodMinutes });
      } else if (action === 'report late') {
        // The first known settings begin at the time of the device.
        const reportedAt = isKnown ? { reportedAt: new Date(START).toISOString() } : {};
        await report(dms, serial, { ...FACTORY, measurementPeriodBase: 60 * periodMinutes, ...reportedAt });
      } else if (action === 'rename') {
        await dms.api.patch(`/assets/${id}`, { name: `Fridge ${value}`, buildingId: `${value}` });
      } else if (action === 'withdraw') {
        await dms.api.post(`/devices/${serial}/config/withdraw`);
      } else if (action === 'compact') {
        await compact();
      } else {
        serial = nextSerial();
        await dms.api.post(`/assets/${id}/replace-hardware`, { newSerialNumber: serial });
        await logger.close();
        logger = await open();
      }
      if (['frame', 'apply', 'confirm', 'report', 'report late'].includes(action)) isKnown = true;
    }

    return { id, take, close: () => logger.close() };
  }

  const textOf = async (id: string, [from, to]: readonly [number, number]): Promise<string> => {
    const span = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
    const { status, text } = await dms.api.get(`/assets/${id}/statistics?${span}`);
    assert.equal(status, 200, text);
    return text;
  };

  it('stays the same bytes whatever is applied, reported, renamed, replaced, compacted or archived afterwards', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.double({ min: 0, max: 1, noNaN: true }), async (history, part) => {
        now = Math.max(now, START);
        const device = await newDevice();
        const begin = now;
        const closed: Array<{ span: readonly [number, number]; text: string }> = [];
        for (const step of history) {
          now += step.minutes * MINUTE_MS;
          await device.take(step);
          // The span ends at the moment of the step, or earlier.
          const span = [begin + Math.floor(part * (now - begin - 1)), now] as const;
          closed.push({ span, text: await textOf(device.id, span) });
        }
        now += 3 * 24 * 60 * MINUTE_MS;
        await compact();
        assert.equal((await dms.api.delete(`/assets/${device.id}`)).status, 200);
        // By the clock of the service, like everything before.
        await query(
          dms.service.sql,
          'update assets set archived_at = ? where organization_id = ? and id = ?',
          [new Date(now), dms.id, device.id],
        );
        await device.close();
        for (const { span, text } of closed) assert.equal(await textOf(device.id, span), text);
      }),
      { numRuns: RUNS, ...SEED },
    );
  });
});
