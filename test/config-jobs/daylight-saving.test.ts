/**
 * Profiles promise local time. Calendars on a device have a fixed offset from UTC, and get a new one at
 * transitions.
 */
import assert from 'node:assert/strict';
import { composeSlices } from '../../src/compose/slices.ts';
import { query } from '../../src/db/query.ts';
import { DAY_MS } from '../../src/process/durations.ts';
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
  refuse,
  register,
  report,
  untilEnded,
} from '../support/fleet.ts';
import { useResources } from '../support/resources.ts';
import { servers } from '../support/servers.ts';
import { useService } from '../support/service.ts';

const inJanuary = (year: number) => new Date(`${year}-01-15T12:00:00Z`);
const inJuly = (year: number) => new Date(`${year}-07-15T12:00:00Z`);

interface Zone {
  timezone: string;
  januaryMinutes: number;
  julyMinutes: number;
}

/** One on each hemisphere. */
const ZONES: Zone[] = [
  { timezone: 'Europe/Stockholm', januaryMinutes: 60, julyMinutes: 120 },
  { timezone: 'America/Santiago', januaryMinutes: -180, julyMinutes: -240 },
];

describe('Daylight saving time', () => {
  let serials = 0;
  /** Each test runs in later years than the one before. */
  let year = 2026;
  let now = inJanuary(year);

  const dms = useService({ now: () => now, withWorker: false });
  const resources = useResources(dms, { now: () => now });
  /** Runs the sweep of a worker. */
  let sweep: () => Promise<number>;
  before(() => {
    const { syncUtcOffsets } = composeSlices(resources).configJobs;
    sweep = () => syncUtcOffsets(() => true);
  });
  beforeEach(() => {
    year += 2;
    now = inJanuary(year);
  });

  async function registerWith(profile: object): Promise<{ serial: string; jobId: string }> {
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
  async function pendingAt(serial: string, minutes: number) {
    await sweep();
    const config = await configOf(dms, serial);
    assert.deepEqual(offsetsOf(config.pendingConfig), [minutes]);
    return config;
  }

  for (const { timezone, januaryMinutes, julyMinutes } of ZONES) {
    it(`offers a device in ${timezone} its windows at the new offset from UTC, and again when summer time ends`, async () => {
      const { serial } = await registerWith(hotWaterIn(timezone));
      await applyAnswer(dms, serial);
      await sweep();
      const before = await configOf(dms, serial);
      assert.deepEqual(offsetsOf(before.deviceConfig), [januaryMinutes]);

      now = inJuly(year);
      const { pendingConfig, syncStatus } = await pendingAt(serial, julyMinutes);
      assert.equal(syncStatus, 'pending');
      assert.deepEqual(Object.keys(pendingConfig), ['calendars']);
      const [week] = pendingConfig.calendars;
      assert.deepEqual({ ...week, timezone: januaryMinutes }, before.deviceConfig.calendars[0]);
      await applyAnswer(dms, serial);
      assert.equal((await configOf(dms, serial)).syncStatus, 'applied');

      now = inJanuary(year + 1);
      await pendingAt(serial, januaryMinutes);
    });
  }

  it('offers the new offset to all devices except one whose change cannot be stored, which it tries again later', async () => {
    const fleet: string[] = [];
    for (let count = 0; count < 3; count++) {
      const { serial } = await registerWith(hotWaterIn('Europe/Stockholm'));
      await applyAnswer(dms, serial);
      fleet.push(serial);
    }
    await sweep();
    const [bad, ...others] = fleet as [string, ...string[]];
    const { id: assetId } = (await dms.api.get(`/assets?serialNumber=${bad}`)).body.items[0];
    await query(
      dms.service.sql,
      `alter table device_configs add constraint test_check
       check (asset_id <> '${assetId}' or pending_config_id is null) not valid`,
    );
    now = inJuly(year);
    for (const serial of others) await pendingAt(serial, 120);
    assert.deepEqual(offsetsOf((await configOf(dms, bad)).pendingConfig), []);
    await query(dms.service.sql, 'alter table device_configs drop constraint test_check');
    now = new Date(now.getTime() + 3_600_001);
    await pendingAt(bad, 120);
  });

  it('offers a pending change at the new offset as a new revision, and keeps its job running', async () => {
    const { serial, jobId } = await registerWith(hotWaterIn('Europe/Stockholm'));
    const fetched = await dms.device.get(`/devices/${serial}/pending-config`);
    assert.equal(fetched.body.revision, 1);
    now = inJuly(year);
    const worker = await dms.service.startWorker((await servers()).workflowBundle);
    await eventually(
      () => configOf(dms, serial),
      ({ pendingConfig }) => offsetsOf(pendingConfig)[0] === 120,
    );
    assert.equal((await jobOf(dms, jobId)).counts.waiting, 1);
    const again = await dms.device.get(`/devices/${serial}/pending-config`);
    assert.equal(again.body.revision, 2);
    assert.ok(again.body.config.alarmRules, 'the rest of the change is still there');
    await applyAnswer(dms, serial);
    assert.equal((await untilEnded(dms, jobId)).status, 'succeeded');
    await worker.stop(1_000);
  });

  it('changes nothing on devices that are always monitored or in a zone without summer time', async () => {
    const always = await registerWith(FRIDGE);
    const tokyo = await registerWith(hotWaterIn('Asia/Tokyo'));
    const moving = await registerWith(hotWaterIn('Europe/Stockholm'));
    for (const { serial } of [always, tokyo, moving]) await applyAnswer(dms, serial);
    now = inJuly(year);
    await pendingAt(moving.serial, 120);
    for (const { serial } of [always, tokyo]) {
      const { pendingConfig, syncStatus } = await configOf(dms, serial);
      assert.deepEqual([pendingConfig, syncStatus], [null, 'applied']);
    }
  });

  it('changes nothing on a device whose windows another profile has replaced', async () => {
    const { serial } = await registerWith(hotWaterIn('Europe/Stockholm'));
    await applyAnswer(dms, serial);
    const slug = await createProfile(dms, { slug: `since-${serials}`, ...FRIDGE });
    await apply(dms, slug, { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    const moving = await registerWith(hotWaterIn('Europe/Stockholm'));
    await applyAnswer(dms, moving.serial);
    now = inJuly(year);
    await pendingAt(moving.serial, 120);
    assert.equal((await configOf(dms, serial)).pendingConfig, null);
  });

  it('changes nothing on a device whose rules were changed on site, until a day after they are as before', async () => {
    const { serial } = await registerWith(hotWaterIn('Europe/Stockholm'));
    await applyAnswer(dms, serial);
    const { deviceConfig } = await configOf(dms, serial);
    await report(dms, serial, { ...FACTORY, alarmRules: [] });
    const intervals = await createProfile(dms, {
      slug: `intervals-${serials}`,
      intervals: { measurementIntervalMinutes: 10 },
    });
    await apply(dms, intervals, { serialNumbers: [serial] });
    const pendingIntervals = (await configOf(dms, serial)).pendingConfig;
    const moving = await registerWith(hotWaterIn('Europe/Stockholm'));
    await applyAnswer(dms, moving.serial);
    now = inJuly(year);
    await pendingAt(moving.serial, 120);
    const { pendingConfig, syncStatus } = await configOf(dms, serial);
    assert.deepEqual([pendingConfig, syncStatus], [pendingIntervals, 'pending']);
    await report(dms, serial, deviceConfig);
    now = new Date(now.getTime() + DAY_MS);
    await pendingAt(serial, 120);
  });

  it('changes nothing on a device whose change has timed out and was then withdrawn', async () => {
    const { serial } = await registerWith(hotWaterIn('Europe/Stockholm'));
    await applyAnswer(dms, serial);
    await sweep();
    const slug = await createProfile(dms, { ...hotWaterIn('America/New_York'), slug: `mistaken-${serials}` });
    const jobId = await apply(dms, slug, { serialNumbers: [serial] });
    await query(
      dms.service.sql,
      `update config_targets set state = 'timed_out' where organization_id = ? and job_id = ?`,
      [dms.id, jobId],
    );
    const withdrawn = await dms.api.post(`/devices/${serial}/config/withdraw`, {});
    assert.equal(withdrawn.status, 200, withdrawn.text);
    await sweep();
    assert.equal((await configOf(dms, serial)).pendingConfig, null);
  });

  it('does not offer a refused change again', async () => {
    const { serial } = await registerWith(hotWaterIn('Europe/Stockholm'));
    await applyAnswer(dms, serial);
    const slug = await createProfile(dms, { slug: `refused-${serials}`, ...hotWaterIn('America/New_York') });
    await apply(dms, slug, { serialNumbers: [serial] });
    await refuse(dms, serial);
    const before = await configOf(dms, serial);
    assert.equal(before.syncStatus, 'failed');
    const moving = await registerWith(hotWaterIn('Europe/Stockholm'));
    await applyAnswer(dms, moving.serial);
    now = inJuly(year);
    await pendingAt(moving.serial, 120);
    const { pendingConfig, syncStatus } = await configOf(dms, serial);
    assert.deepEqual([pendingConfig, syncStatus], [before.pendingConfig, 'failed']);
    const { body: group } = await dms.api.post('/groups', { name: slug, profileSlug: slug });
    const { body } = await dms.api.post(`/groups/${group.id}/add-members`, { serialNumbers: [serial] });
    assert.deepEqual(body, { added: 1, jobId: null });
    // Another zone is another change.
    await dms.api.put(`/devices/config-profiles/${slug}`, hotWaterIn('Europe/Stockholm'));
    const { body: named } = await dms.api.patch(`/groups/${group.id}`, { profileSlug: slug });
    assert.ok(named.jobId);
    await pendingAt(serial, 120);
  });

  describe('when the rules of time zones change', () => {
    /** Runs as a worker whose runtime has this release of the time zone database. */
    const sweepBy = (timeZoneRules: string | null) =>
      composeSlices({ ...resources, timeZoneRules }).configJobs.syncUtcOffsets(() => true);
    /** Confirmed in January; it is July. By rules without summer time, the next check is weeks away. */
    async function compiledByRules(timeZoneRules: string): Promise<string> {
      const { serial } = await registerWith(hotWaterIn('Europe/Stockholm'));
      await applyAnswer(dms, serial);
      await sweepBy(timeZoneRules);
      now = inJuly(year);
      const { id } = (await dms.api.get(`/assets?serialNumber=${serial}`)).body.items[0];
      await query(
        dms.service.sql,
        `update device_configs set utc_offset_check_at = ?::timestamptz + interval '20 days' where asset_id = ?`,
        [now.toISOString(), id],
      );
      return serial;
    }
    const pendingOffsets = async (serial: string) => offsetsOf((await configOf(dms, serial)).pendingConfig);

    it('compiles schedules again by newer rules at once, although the next check is weeks away', async () => {
      const serial = await compiledByRules('2000a');
      await sweepBy('2000a');
      assert.deepEqual(await pendingOffsets(serial), []);
      await sweepBy('2000b');
      assert.deepEqual(await pendingOffsets(serial), [120]);
    });

    it('compiles no schedule again by older rules, nor without a version', async () => {
      const serial = await compiledByRules('2000c');
      await sweepBy('2000b');
      await sweepBy(null);
      assert.deepEqual(await pendingOffsets(serial), []);
      await sweepBy('2000c');
      assert.deepEqual(await pendingOffsets(serial), [120]);
    });

    it('offers nothing more when workers with older and newer rules take turns', async () => {
      const serial = await compiledByRules('2000a');
      await sweepBy('2000b');
      const { revision } = (await dms.device.get(`/devices/${serial}/pending-config`)).body;
      for (const rules of ['2000a', '2000b', '2000a', '2000b']) assert.equal(await sweepBy(rules), 0, rules);
      assert.equal((await dms.device.get(`/devices/${serial}/pending-config`)).body.revision, revision);
    });

    it('continues with the next sweep after it lost its lease', async () => {
      const serial = await compiledByRules('2000a');
      const { syncUtcOffsets } = composeSlices({ ...resources, timeZoneRules: '2000b' }).configJobs;
      await syncUtcOffsets(() => false);
      assert.deepEqual(await pendingOffsets(serial), []);
      await sweepBy('2000b');
      assert.deepEqual(await pendingOffsets(serial), [120]);
    });
  });

  it('shows the version of the time zone rules in readiness and metrics', async () => {
    const { tz } = process.versions;
    assert.equal((await dms.api.get('/readyz')).body.timeZoneRules, tz);
    const metrics = await (await fetch(dms.metricsUrl)).text();
    assert.match(metrics, new RegExp(`^dms_process_info\\{.*time_zone_rules="${tz}".*\\} 1$`, 'm'));
  });

  it('offers one change per transition', async () => {
    const { serial } = await registerWith(hotWaterIn('Europe/Stockholm'));
    await applyAnswer(dms, serial);
    now = inJuly(year);
    await pendingAt(serial, 120);
    assert.equal(await sweep(), 0);
    assert.equal((await dms.device.get(`/devices/${serial}/pending-config`)).body.revision, 2);
  });
});
