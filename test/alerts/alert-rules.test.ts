/** Rules that apply to a device, and the fate of its alerts when they change. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import type { Answer } from '../support/client.ts';
import { applyAnswer, configOf, eventually, FACTORY, FRIDGE, report } from '../support/fleet.ts';
import { openHolder, untilLockWaits } from '../support/lock-waits.ts';
import { startService } from '../support/service.ts';
import { type AlertItem, FRIDGE_BOUNDS, useDevice } from './harness.ts';

describe('The alert rules of a device', () => {
  const device = useDevice();
  const { applyProfile, confirmProfile, measure, onlyAlert, reading, send, statuses } = device;

  it('evaluates by the rules that the device confirmed, even if others were applied since', async () => {
    await confirmProfile(FRIDGE);
    await applyProfile({ temperatureAlerts: [{ type: 'high', channel: 'probe', highC: 30 }] });
    await measure(0, 20);
    assert.deepEqual((await onlyAlert()).details.bounds, FRIDGE_BOUNDS);
  });

  it('evaluates by the applied rules for a device that never reports', async () => {
    await applyProfile(FRIDGE);
    await measure(0, 20);
    assert.deepEqual(await statuses(), ['high_temp new']);
    await measure(1, 5);
    assert.deepEqual(await statuses(), ['high_temp resolved']);
  });

  it('ends an alert with the frame, where the reading that ends it comes from a fast clock, but never before its begin', async () => {
    await applyProfile(FRIDGE);
    await measure(0, 20);
    const anHourAhead = 420;
    await send([reading(anHourAhead, 5)]);
    const { status, timestamp, endedAt } = await onlyAlert();
    assert.equal(status, 'resolved');
    assert.equal(timestamp, device.at(0));
    assert.ok(endedAt !== null && endedAt < device.at(anHourAhead), String(endedAt));
    await send([reading(anHourAhead + 1, 20)]);
    await applyProfile({ temperatureAlerts: [] });
    const [, ahead] = await device.alerts();
    assert.deepEqual([ahead?.timestamp, ahead?.endedAt], Array(2).fill(device.at(anHourAhead + 1)));
  });

  const atBoth = (minute: number, ambient: number, probe: number) => [
    reading(minute, ambient, { channel: 'ambient' }),
    reading(minute, probe, { channel: 'probe' }),
  ];
  const PROBE_BELOW_8 = { temperatureAlerts: [{ type: 'high', channel: 'probe', highC: 8 }] };

  for (const [what, toReadings] of [
    ['that shows two of them', (minute: number) => atBoth(minute, 3, 9)],
    ['that shows another one', (minute: number) => [reading(minute, 9, { channel: 2 })]],
  ] as const) {
    it(`evaluates the first frame ${what} by its own channels, and all data since the profile was applied`, async () => {
      await applyProfile(PROBE_BELOW_8);
      device.setClock(Date.parse(device.at(480)));
      await send(toReadings(420));
      assert.equal((await onlyAlert()).details.channel, 2);
      await send(toReadings(390));
      assert.equal((await onlyAlert()).timestamp, device.at(390));
      const [from, to] = [device.at(380), device.at(470)];
      const { body } = await device.org.api.get(`/assets/${device.assetId}/statistics?from=${from}&to=${to}`);
      for (const { channel, alerts, withoutBounds } of body.channels) {
        assert.equal(alerts.length, channel - 1);
        assert.deepEqual(withoutBounds, channel === 2 ? [] : [{ from: device.at(390), to }]);
      }
    });
  }

  it('opens no alert on a channel without rules by the first frame', async () => {
    await applyProfile(PROBE_BELOW_8);
    const webhook = await device.subscribe(['alert.created', 'data.measurement.alert']);
    await send(atBoth(0, 9, 3));
    assert.deepEqual([await statuses(), await device.published(webhook)], [[], []]);
  });

  it('evaluates by a calendar that ends at 24:00 and was set on the device by others', async () => {
    await applyProfile(FRIDGE);
    const { pendingConfig } = await configOf(device.org, device.serial);
    const everyDay = { type: 'WEEK', enableRules: [0, 1, 2], days: [0, 1, 2, 3, 4, 5, 6], timezone: 0 };
    const calendars = [{ ...everyDay, fromTime: 0, toTime: 1_440 }];
    await report(device.org, device.serial, { ...FACTORY, ...pendingConfig, calendars });
    assert.deepEqual((await configOf(device.org, device.serial)).deviceConfig.calendars, calendars);
    await measure(0, 20);
    assert.deepEqual(await statuses(), ['high_temp new']);
  });

  it('ignores applied rules that a reporting device has not confirmed', async () => {
    await report(device.org, device.serial, FACTORY);
    await applyProfile(FRIDGE);
    await measure(0, 20);
    assert.deepEqual(await statuses(), []);
  });

  it('resolves the alerts of replaced rules when the device confirms the new ones', async () => {
    await confirmProfile(FRIDGE);
    await measure(0, 20);
    await applyProfile({ temperatureAlerts: [{ type: 'high', channel: 'probe', highC: 10 }] });
    assert.deepEqual(await statuses(), ['high_temp new']);
    await applyAnswer(device.org, device.serial);
    assert.deepEqual(await statuses(), ['high_temp resolved']);
    await measure(1, 20);
    assert.deepEqual(await statuses(), ['high_temp resolved', 'high_temp new']);
  });

  it('resolves alerts when other rules are applied to a device that never reports', async () => {
    await applyProfile(FRIDGE);
    await measure(0, 20);
    await applyProfile({ intervals: { transmissionIntervalSeconds: 7_200 } });
    assert.deepEqual(await statuses(), ['high_temp new']);
    await applyProfile({ temperatureAlerts: [] });
    assert.deepEqual(await statuses(), ['high_temp resolved']);
    await applyAnswer(device.org, device.serial);
    assert.deepEqual(await statuses(), ['high_temp resolved']);
  });

  it('resolves alerts when the job that applied their rules is cancelled', async () => {
    await applyProfile(FRIDGE);
    await measure(0, 20);
    const [job] = (await device.org.api.get('/devices/config-jobs')).body.items;
    assert.equal((await device.org.api.post(`/devices/config-jobs/${job.id}/cancel`)).status, 200);
    assert.deepEqual(await statuses(), ['high_temp resolved']);
  });

  it('resolves alerts when the first report of the device has no rules', async () => {
    await applyProfile(FRIDGE);
    await measure(0, 20);
    await report(device.org, device.serial, { ...FACTORY, alarmRules: [] });
    assert.deepEqual(await statuses(), ['high_temp resolved']);
  });

  it('keeps alerts open when the first report of the device confirms their rules', async () => {
    await applyProfile(FRIDGE);
    await measure(0, 20);
    await applyAnswer(device.org, device.serial);
    assert.deepEqual(await statuses(), ['high_temp new']);
    await measure(1, 5);
    assert.deepEqual(await statuses(), ['high_temp resolved']);
  });

  it('keeps alerts open when the device confirms other intervals, or the same rules again', async () => {
    await confirmProfile(FRIDGE);
    await measure(0, 20);
    await confirmProfile({ intervals: { transmissionIntervalSeconds: 7_200 } });
    await confirmProfile(FRIDGE);
    assert.deepEqual(await statuses(), ['high_temp new']);
  });

  /** Sends the report of the device to another process, which shares only the database. */
  async function reportElsewhere(body: object): Promise<{ answer: Promise<Answer>; stop(): Promise<void> }> {
    const { databaseUrl } = device.dms.settings;
    const other = await startService({ withWorker: false, databaseUrl });
    const { token } = await device.dms.issueKey(device.org.id, 'device');
    const answer = other.with(token).post(`/devices/${device.serial}/config-reports`, body);
    return { answer, stop: () => other.stop() };
  }

  it('evaluates a frame that waited for the lock by the rules that were confirmed meanwhile', async () => {
    await confirmProfile(FRIDGE);
    await applyProfile({ temperatureAlerts: [] });
    const { config } = (await device.org.device.get(`/devices/${device.serial}/pending-config`)).body;
    await send([reading(0, 20)]);
    const holder = await openHolder(device.dms.service.sql);
    await query(holder, 'select 1 from device_states where asset_id = ? for update', [device.assetId]);
    const confirmed = await reportElsewhere({ ...FACTORY, ...config });
    await untilLockWaits(device.dms.service.sql, 1);
    const measured = send([reading(1, 5), reading(2, 20)]);
    await untilLockWaits(device.dms.service.sql, 2);
    await holder.commit();
    assert.equal((await confirmed.answer).body.syncStatus, 'applied');
    await measured;
    await confirmed.stop();
    assert.deepEqual(await statuses(), ['high_temp resolved']);
  });

  it('resolves an alert that a frame opens while the device confirms other rules', async () => {
    await confirmProfile(FRIDGE);
    await applyProfile({ temperatureAlerts: [] });
    const { config } = (await device.org.device.get(`/devices/${device.serial}/pending-config`)).body;
    const holder = await openHolder(device.dms.service.sql);
    await query(holder, 'lock table alerts in exclusive mode');
    const measured = send([reading(0, 20)]);
    await untilLockWaits(device.dms.service.sql, 1);
    const confirmed = await reportElsewhere({ ...FACTORY, ...config });
    await untilLockWaits(device.dms.service.sql, 2);
    await holder.commit();
    await measured;
    assert.equal((await confirmed.answer).body.syncStatus, 'applied');
    await confirmed.stop();
    assert.deepEqual(await statuses(), ['high_temp resolved']);
  });

  /**
   * Blocks writers of the table until it is released, and resolves once one of them waits that has locked
   * devices.
   */
  async function holdUp(table: string) {
    const holder = await openHolder(device.dms.service.sql);
    await query(holder, `lock table ${table} in exclusive mode`);
    return {
      isWaitedFor: () =>
        eventually(
          () =>
            query(
              holder,
              `select from pg_locks join pg_database on pg_database.oid = database
               where datname = current_database() and relation = '${table}'::regclass and not granted
                 and exists (select from pg_locks held where held.pid = pg_locks.pid and held.granted
                   and held.mode = 'RowShareLock' and held.relation = 'device_configs'::regclass)`,
            ),
          (waiting) => waiting.length > 0,
          { pauseMs: 10 },
        ),
      release: () => holder.commit(),
    };
  }

  /** Some transaction waits for another one, which the test blocks. */
  const untilTwoWait = () =>
    eventually(
      () =>
        query(
          device.dms.service.sql,
          `select from pg_stat_activity as waiting, unnest(pg_blocking_pids(waiting.pid)) as blocker
           where datname = current_database() and cardinality(pg_blocking_pids(blocker)) > 0`,
        ),
      (waiting) => waiting.length > 0,
      { pauseMs: 10 },
    );

  it('leaves no alert of rules that are being replaced when a frame breaches them', async () => {
    await applyProfile(FRIDGE);
    const { sql } = device.dms.service;
    // The apply has changed the device when it comes to the target that it supersedes.
    const targets = await openHolder(sql);
    await query(targets, 'select from config_targets for update');
    const applied = applyProfile({ temperatureAlerts: [] });
    await untilLockWaits(sql, 1);
    const measured = send([reading(0, 20)]);
    await untilTwoWait();
    await targets.commit();
    await Promise.all([applied, measured]);
    assert.deepEqual(await statuses(), []);
  });

  it('resolves an alert that a frame opens while other rules are applied', async () => {
    await applyProfile(FRIDGE);
    const [jobs, alerts] = [await holdUp('config_jobs'), await holdUp('alerts')];
    const applied = applyProfile({ temperatureAlerts: [] });
    await jobs.isWaitedFor();
    const measured = send([reading(0, 20)]);
    await alerts.isWaitedFor();
    await jobs.release();
    await Promise.race([applied, untilTwoWait()]);
    await alerts.release();
    await Promise.all([applied, measured]);
    assert.deepEqual(await statuses(), ['high_temp resolved']);
  });

  it('resolves alerts when the asset is archived', async () => {
    await confirmProfile(FRIDGE);
    await measure(0, 20);
    await device.org.api.delete(`/assets/${device.assetId}`);
    assert.deepEqual(await statuses(), ['high_temp resolved']);
  });

  it('keeps alerts open with new hardware, until its readings resolve them', async () => {
    await confirmProfile(FRIDGE);
    await measure(0, 20);
    const before = device.serial;
    await device.replaceHardware();
    await measure(1, 21, 5);
    const alert = await onlyAlert();
    assert.deepEqual([alert.status, alert.serialNumber], ['resolved', before]);
  });

  it('resolves alerts of the earlier channel with the first frame of new hardware, whose own channels it evaluates', async () => {
    await confirmProfile(FRIDGE);
    await measure(0, 20);
    await device.replaceHardware();
    const webhook = await device.subscribe(['alert.created', 'alert.resolved']);
    await send(atBoth(1, 20, 21));
    await send(atBoth(2, 20, 5));
    const events = await device.published(webhook);
    assert.deepEqual(
      events.map(({ type, data }: { type: string; data: AlertItem }) => [type, data.details.channel]),
      [
        ['alert.resolved', 1],
        ['alert.created', 2],
        ['alert.resolved', 2],
      ],
    );
    assert.deepEqual(await statuses(), ['high_temp resolved', 'high_temp resolved']);
  });
});
