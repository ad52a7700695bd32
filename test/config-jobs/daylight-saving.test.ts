/** Profiles promise local time; calendars on a device carry a fixed distance from UTC. Somebody has to follow. */
import assert from 'node:assert/strict';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  eventually,
  FACTORY,
  FRIDGE,
  HOT_WATER,
  jobOf,
  register,
  untilEnded,
} from '../support/fleet.ts';
import { startService, type TestService } from '../support/service.ts';

const inJanuary = (year: number) => new Date(`${year}-01-15T12:00:00Z`);
const inJuly = (year: number) => new Date(`${year}-07-15T12:00:00Z`);

interface Zone {
  timezone: string;
  januaryMinutes: number;
  julyMinutes: number;
}

const ZONES: Zone[] = [
  { timezone: 'Europe/Stockholm', januaryMinutes: 60, julyMinutes: 120 },
  { timezone: 'America/New_York', januaryMinutes: -300, julyMinutes: -240 },
  { timezone: 'Australia/Sydney', januaryMinutes: 660, julyMinutes: 600 },
  { timezone: 'America/Santiago', januaryMinutes: -180, julyMinutes: -240 },
];

describe('When a zone goes over to summer time', () => {
  let dms: TestService;
  let now: Date;
  let serials = 0;
  /** Time goes on from test to test. */
  let year = 2026;

  before(async () => {
    now = inJanuary(year);
    dms = await startService({ now: () => now, settings: { sweepIntervalMs: 20 } });
  });
  after(() => dms.stop());
  beforeEach(() => {
    year += 2;
    now = inJanuary(year);
  });

  async function guarded(profile: object): Promise<{ serial: string; jobId: string }> {
    const serial = `ZONED-${++serials}`;
    await register(dms, serial);
    const slug = await createProfile(dms, { slug: `zoned-${serials}`, ...profile });
    return { serial, jobId: await apply(dms, slug, { serialNumbers: [serial] }) };
  }
  const hotWaterIn = (timezone: string) => ({
    ...HOT_WATER,
    schedule: { ...HOT_WATER.schedule, timezone },
  });
  // biome-ignore lint/suspicious/noExplicitAny: a shape under test
  const offsetsOf = (config: any): number[] =>
    (config?.calendars ?? [])
      .filter(({ type }: { type: string }) => type === 'WEEK')
      .map(({ timezone }: { timezone: number }) => timezone);
  const untilPendingAt = (serial: string, minutes: number) =>
    eventually(
      () => configOf(dms, serial),
      ({ pendingConfig }) => offsetsOf(pendingConfig)[0] === minutes,
    );
  /** Long enough for several looks. */
  const looks = () => new Promise((resolve) => setTimeout(resolve, 1_000));

  for (const { timezone, januaryMinutes, julyMinutes } of ZONES) {
    it(`a device in ${timezone} gets its windows at the new distance, and again at the way back`, async () => {
      const { serial, jobId } = await guarded(hotWaterIn(timezone));
      await applyAnswer(dms, serial);
      await untilEnded(dms, jobId);
      const before = await configOf(dms, serial);
      assert.deepEqual(offsetsOf(before.deviceConfig), [januaryMinutes]);

      now = inJuly(year);
      const { pendingConfig, syncStatus } = await untilPendingAt(serial, julyMinutes);
      assert.equal(syncStatus, 'pending');
      assert.deepEqual(Object.keys(pendingConfig), ['calendars']);
      const [week] = pendingConfig.calendars;
      assert.deepEqual({ ...week, timezone: januaryMinutes }, before.deviceConfig.calendars[0]);
      await applyAnswer(dms, serial);
      assert.equal((await configOf(dms, serial)).syncStatus, 'applied');

      now = inJanuary(year + 1);
      await untilPendingAt(serial, januaryMinutes);
    });
  }

  it('a device that has not confirmed its change yet is offered it at the new distance, and its job goes on', async () => {
    const { serial, jobId } = await guarded(hotWaterIn('Europe/Stockholm'));
    const fetched = await dms.device.get(`/devices/${serial}/pending-config`);
    assert.equal(fetched.body.revision, 1);
    now = inJuly(year);
    await untilPendingAt(serial, 120);
    assert.equal((await jobOf(dms, jobId)).counts.waiting, 1);
    const again = await dms.device.get(`/devices/${serial}/pending-config`);
    assert.equal(again.body.revision, 2);
    assert.ok(again.body.config.alarmRules, 'the rest of the change is still there');
    await applyAnswer(dms, serial);
    assert.equal((await untilEnded(dms, jobId)).status, 'succeeded');
  });

  it('devices that are guarded always, or in a zone without summer time, are left alone', async () => {
    const always = await guarded(FRIDGE);
    const tokyo = await guarded(hotWaterIn('Asia/Tokyo'));
    const moving = await guarded(hotWaterIn('Europe/Stockholm'));
    for (const { serial } of [always, tokyo, moving]) await applyAnswer(dms, serial);
    now = inJuly(year);
    await untilPendingAt(moving.serial, 120);
    await looks();
    for (const { serial } of [always, tokyo]) {
      const { pendingConfig, syncStatus } = await configOf(dms, serial);
      assert.deepEqual([pendingConfig, syncStatus], [null, 'applied']);
    }
  });

  it('a device that has been guarded otherwise since is left alone', async () => {
    const { serial } = await guarded(hotWaterIn('Europe/Stockholm'));
    await applyAnswer(dms, serial);
    const slug = await createProfile(dms, { slug: `since-${serials}`, ...FRIDGE });
    await apply(dms, slug, { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    const moving = await guarded(hotWaterIn('Europe/Stockholm'));
    await applyAnswer(dms, moving.serial);
    now = inJuly(year);
    await untilPendingAt(moving.serial, 120);
    await looks();
    assert.equal((await configOf(dms, serial)).pendingConfig, null);
  });

  it('a change that the device refused stays refused', async () => {
    const { serial } = await guarded(hotWaterIn('Europe/Stockholm'));
    await applyAnswer(dms, serial);
    const slug = await createProfile(dms, { slug: `refused-${serials}`, ...hotWaterIn('America/New_York') });
    await apply(dms, slug, { serialNumbers: [serial] });
    await dms.device.get(`/devices/${serial}/pending-config`);
    await dms.device.post(`/devices/${serial}/config-reports`, {
      ...FACTORY,
      errors: [{ message: 'no room for it' }],
    });
    const before = await configOf(dms, serial);
    assert.equal(before.syncStatus, 'failed');
    const moving = await guarded(hotWaterIn('Europe/Stockholm'));
    await applyAnswer(dms, moving.serial);
    now = inJuly(year);
    await untilPendingAt(moving.serial, 120);
    await looks();
    const { pendingConfig, syncStatus } = await configOf(dms, serial);
    assert.deepEqual([pendingConfig, syncStatus], [before.pendingConfig, 'failed']);
  });

  it('nobody gets a second change for the same turn', async () => {
    const { serial } = await guarded(hotWaterIn('Europe/Stockholm'));
    await applyAnswer(dms, serial);
    now = inJuly(year);
    await untilPendingAt(serial, 120);
    await looks();
    assert.equal((await dms.device.get(`/devices/${serial}/pending-config`)).body.revision, 2);
  });
});
