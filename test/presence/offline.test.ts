/** Devices that miss their deadline, and devices that come back. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { createLog } from '../../src/process/log.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  eventually,
  FACTORY,
  FRIDGE,
  register,
  registerMany,
  report,
} from '../support/fleet.ts';
import { openHolder, untilLockWaits } from '../support/lock-waits.ts';
import { openLogger } from '../support/logger.ts';
import { payloadsOf } from '../support/payloads.ts';
import { useOrganization, useService } from '../support/service.ts';
import { useSteps } from '../support/steps.ts';

/** Without a known interval, the deadline is ten minutes after the announced time. */
const GRACE_MINUTES = 10;
const EVENTS = ['device.offline', 'device.online', 'alert.created', 'alert.resolved'];

describe('Presence', () => {
  let serial: string;
  let assetId: string;
  let serials = 0;
  /** How far the clock of the service is ahead; it never goes back. */
  let aheadMs = 0;
  /** Lines of the log. */
  const errors: string[] = [];
  const now = () => new Date(Date.now() + aheadMs);

  const dms = useService({ now, withWorker: false });
  const org = useOrganization(dms);
  const steps = useSteps(dms, { now, log: createLog('error', { write: (line) => void errors.push(line) }) });
  beforeEach(async () => {
    serial = `DEVICE-${++serials}`;
    assetId = await register(org, serial);
  });

  const advance = (minutes: number) => {
    aheadMs += minutes * MINUTE_MS;
  };
  const inMinutes = (minutes: number) => new Date(now().getTime() + minutes * MINUTE_MS).toISOString();
  /** A frame with one current reading. */
  async function sendFrame(nextInMinutes: number | null, { by = serial, value = 5 } = {}): Promise<void> {
    const readings = [{ channel: 1, type: 'temperature', value, measuredAt: now().toISOString() }];
    const next = nextInMinutes === null ? {} : { nextTransmissionAt: inMinutes(nextInMinutes) };
    const { status, text } = await org.device.post(`/devices/${by}/measurements`, { readings, ...next });
    assert.equal(status, 202, text);
  }
  const asset = async (id = assetId) => (await org.api.get(`/assets/${id}`)).body;
  /** Returns the asset. */
  async function sweepToOffline() {
    await steps.sweepOffline();
    const swept = await asset();
    assert.equal(swept.status, 'offline');
    return swept;
  }
  const alerts = async (id = assetId) =>
    (await org.api.get(`/alerts?assetId=${id}`)).body.items as Array<Record<string, string>>;
  const statuses = async () => (await alerts()).map(({ type, status }) => `${type} ${status}`);
  const subscribe = async (url = 'http://127.0.0.1:9/hook') =>
    (await org.api.post('/webhooks', { url, events: EVENTS })).body.id as string;
  const published = async (webhookId: string): Promise<string[]> =>
    (await payloadsOf(org, webhookId)).map(({ type }) => type).toSorted();

  it('marks a device offline that misses its deadline, and opens an alert with the deadline', async () => {
    await sendFrame(30);
    const [row] = await query<{ at: Date }>(
      dms.service.sql,
      'select expected_by as at from device_states where asset_id = ?',
      [assetId],
    );
    const expectedBy = row?.at.toISOString() as string;
    assert.ok(Math.abs(Date.parse(expectedBy) - now().getTime() - 40 * MINUTE_MS) < 5 * MINUTE_MS);
    advance(41);
    await sweepToOffline();
    const [{ id, updatedAt, ...alert } = {}, ...others] = await alerts();
    assert.deepEqual(others, []);
    assert.deepEqual(alert, {
      recType: 'alert',
      assetId,
      serialNumber: serial,
      type: 'no_data',
      severity: 'critical',
      status: 'new',
      details: { expectedBy },
      timestamp: expectedBy,
      acknowledgedAt: null,
      acknowledgedBy: null,
      assignee: null,
      snoozeUntil: null,
      muted: false,
      escalation: null,
      late: false,
      endedAt: null,
      extreme: null,
    });
  });

  it('marks all devices offline except one whose alert cannot be stored, which is logged and tried again later', async () => {
    const fleet = await registerMany(org, 4, `FLEET-${serial}`);
    const [bad] = fleet;
    for (const each of fleet) await sendFrame(30, { by: each });
    await query(
      dms.service.sql,
      `alter table alerts add constraint test_check check (serial_number <> '${bad}')`,
    );
    advance(41);
    await steps.sweepOffline();
    const statusOf = async (name: string) =>
      (await org.api.get(`/assets?serialNumber=${name}`)).body.items[0].status;
    assert.deepEqual(await Promise.all(fleet.map(statusOf)), ['online', 'offline', 'offline', 'offline']);
    assert.equal(errors.filter((line) => line.includes('"work":"overdue devices"')).length, 1);
    await query(dms.service.sql, 'alter table alerts drop constraint test_check');
    await steps.sweepOffline();
    assert.equal(await statusOf(bad as string), 'online');
    advance(61);
    await steps.sweepOffline();
    assert.equal(await statusOf(bad as string), 'offline');
  });

  it('postpones the deadline when the device confirms a longer interval', async () => {
    await report(org, serial, FACTORY);
    await sendFrame(null);
    const slug = await createProfile(org, {
      name: 'Seldom',
      intervals: { transmissionIntervalSeconds: 21_600 },
    });
    await apply(org, slug, { serialNumbers: [serial] });
    await applyAnswer(org, serial);
    advance(11 * 60);
    await steps.sweepOffline();
    assert.equal((await asset()).status, 'online');
    advance(61);
    await sweepToOffline();
  });

  it('brings a device back online with its next frame, which resolves the alert', async () => {
    await sendFrame(30);
    advance(41);
    await sweepToOffline();
    await sendFrame(30);
    assert.equal((await asset()).status, 'online');
    assert.deepEqual(await statuses(), ['no_data resolved']);
  });

  it('brings a device back online with a frame of only old or known readings', async () => {
    const measuredAt = inMinutes(-3_000);
    const frame = { readings: [{ channel: 1, type: 'temperature', value: 5, measuredAt }] };
    await org.device.post(`/devices/${serial}/measurements`, { ...frame, nextTransmissionAt: inMinutes(30) });
    advance(41);
    await sweepToOffline();
    await org.device.post(`/devices/${serial}/measurements`, frame);
    assert.deepEqual([(await asset()).status, await statuses()], ['online', ['no_data resolved']]);
  });

  it('brings a device back online with a frame over CoAP', async () => {
    const { token } = await dms.issueKey(org.id, 'device');
    const logger = await openLogger({ serial: 'ABCDEF0000FF', coapPort: dms.coapPort, token });
    assetId = await register(org, logger.serial);
    await logger.measure({ at: now(), nextTransmissionAt: new Date(now().getTime() + 30 * MINUTE_MS) });
    advance(41);
    await sweepToOffline();
    await logger.measure({ at: now(), confirmable: false });
    await eventually(asset, ({ status }) => status === 'online');
    assert.deepEqual(await statuses(), ['no_data resolved']);
    await logger.close();
  });

  it('brings a device back online with a report, which resolves the alert and starts a new deadline', async () => {
    const webhookId = await subscribe();
    await report(org, serial, FACTORY);
    await sendFrame(null);
    advance(121);
    await sweepToOffline();
    await report(org, serial, FACTORY);
    assert.deepEqual([(await asset()).status, await statuses()], ['online', ['no_data resolved']]);
    assert.deepEqual(await published(webhookId), [
      'alert.created',
      'alert.resolved',
      'device.offline',
      'device.online',
    ]);
    advance(119);
    await steps.sweepOffline();
    assert.equal((await asset()).status, 'online');
    advance(2);
    await sweepToOffline();
  });

  it('publishes nothing by a report when another contact has brought the device back online meanwhile', async () => {
    const webhookId = await subscribe();
    await report(org, serial, FACTORY);
    await sendFrame(null);
    advance(121);
    await sweepToOffline();
    const holder = await openHolder(dms.service.sql);
    await query(holder, `update device_states set status = 'online', expected_by = null where asset_id = ?`, [
      assetId,
    ]);
    const reported = report(org, serial, FACTORY);
    await untilLockWaits(dms.service.sql, 1);
    await holder.commit();
    assert.equal((await reported).status, 200);
    assert.equal((await asset()).status, 'online');
    assert.deepEqual(await published(webhookId), ['alert.created', 'device.offline']);
  });

  it('opens an alert of its own each time that a device goes offline', async () => {
    for (let round = 0; round < 2; round++) {
      await sendFrame(30);
      advance(41);
      await sweepToOffline();
    }
    assert.deepEqual(await statuses(), ['no_data new', 'no_data resolved']);
  });

  it('resolves an acknowledged alert with the next frame', async () => {
    await sendFrame(30);
    advance(41);
    await sweepToOffline();
    const [alert] = await alerts();
    await org.api.patch(`/alerts/${alert?.id}`, { status: 'acknowledged' });
    await sendFrame(30);
    assert.deepEqual(await statuses(), ['no_data resolved']);
  });

  it('resolves the alert of a missed deadline and that of a temperature independently', async () => {
    const slug = await createProfile(org, FRIDGE);
    await apply(org, slug, { serialNumbers: [serial] });
    await applyAnswer(org, serial);
    await sendFrame(30, { value: 20 });
    advance(3 * 60);
    await sweepToOffline();
    assert.deepEqual(await statuses(), ['no_data new', 'high_temp new']);
    await sendFrame(30, { value: 21 });
    assert.deepEqual(await statuses(), ['no_data resolved', 'high_temp new']);
    await sendFrame(30, { value: 5 });
    assert.deepEqual(await statuses(), ['no_data resolved', 'high_temp resolved']);
  });

  it('keeps a device offline when other rules are applied to it', async () => {
    const profiles = [FRIDGE, { name: 'None', temperatureAlerts: [] }];
    const slugs = await Promise.all(profiles.map((profile) => createProfile(org, profile)));
    await apply(org, slugs[0] as string, { serialNumbers: [serial] });
    await sendFrame(30);
    advance(3 * 60);
    await sweepToOffline();
    await apply(org, slugs[1] as string, { serialNumbers: [serial] });
    assert.deepEqual([(await asset()).status, await statuses()], ['offline', ['no_data new']]);
  });

  /** Events carry the fields of an asset, without those that are only read beside it. */
  function asPublished(shown: object): object {
    const beside = ['replacementHistory', 'latest', 'syncStatus', 'openAlerts', 'groupId', 'mute'];
    return Object.fromEntries(Object.entries(shown).filter(([field]) => !beside.includes(field)));
  }

  it('publishes that a device goes offline and comes back, with its alerts', async () => {
    const webhookId = await subscribe();
    await sendFrame(30);
    advance(41);
    const offline = await sweepToOffline();
    const [alert] = await alerts();
    await sendFrame(30);
    const sent = await payloadsOf(org, webhookId);
    const dataOf = (wanted: string) => sent.find(({ type }) => type === wanted)?.data;
    assert.deepEqual(dataOf('device.offline'), asPublished(offline));
    assert.deepEqual(dataOf('alert.created'), alert);
    assert.deepEqual(dataOf('device.online'), asPublished(await asset()));
    assert.deepEqual(dataOf('alert.resolved'), (await alerts())[0]);
    assert.equal(sent.length, 4);
  });

  it('never marks a device offline that has no deadline', async () => {
    const unheard = await register(org, `NEW-${++serials}`);
    await sendFrame(null);
    advance(30 * 1_440);
    await steps.sweepOffline();
    assert.deepEqual([(await asset()).status, (await asset(unheard)).status], ['online', 'new']);
    assert.deepEqual([await statuses(), await alerts(unheard)], [[], []]);
  });

  it('opens no alert for an archived asset', async () => {
    await sendFrame(30);
    await org.api.delete(`/assets/${assetId}`);
    advance(41);
    await steps.sweepOffline();
    assert.deepEqual(await statuses(), []);
  });

  it('resolves the alert of an offline device when its asset is archived', async () => {
    await sendFrame(30);
    advance(41);
    await sweepToOffline();
    await org.api.delete(`/assets/${assetId}`);
    assert.deepEqual(await statuses(), ['no_data resolved']);
  });

  it('brings an asset back online with the first frame of new hardware', async () => {
    await sendFrame(30);
    advance(41);
    await sweepToOffline();
    serial = `DEVICE-${++serials}`;
    await org.api.post(`/assets/${assetId}/replace-hardware`, { newSerialNumber: serial });
    await sendFrame(30);
    assert.deepEqual([(await asset()).status, await statuses()], ['online', ['no_data resolved']]);
  });

  describe('and its checks', () => {
    /** Times of the check and of the deadline, and versions of both rows; without a check: none. */
    async function stored() {
      const [row] = await query<{ checkAt: Date | number; expectedBy: Date; check: string; state: string }>(
        dms.service.sql,
        `select c.check_at as "checkAt", s.expected_by as "expectedBy", c.ctid::text as "check", s.ctid::text as state
         from overdue_checks c join device_states s using (organization_id, asset_id)
         where c.organization_id = ? and c.asset_id = ?`,
        [org.id, assetId],
      );
      return row;
    }

    it('plans the check of a device for the deadline of its first frame', async () => {
      assert.equal(await stored(), undefined);
      await sendFrame(60);
      const first = await stored();
      assert.deepEqual(first?.checkAt, first?.expectedBy);
    });

    it('writes no check while deadlines move on, and brings it forward to an earlier one', async () => {
      await sendFrame(60);
      const first = await stored();
      await sendFrame(90);
      const second = await stored();
      assert.ok(second && first && second.expectedBy > first.expectedBy);
      assert.equal(second.check, first.check);
      await sendFrame(30);
      const third = await stored();
      assert.ok(third && third.expectedBy < first.expectedBy);
      assert.deepEqual(third.checkAt, third.expectedBy);
    });

    it('moves the check to the deadline when it looks, and leaves the state of the device as it is stored', async () => {
      await sendFrame(30);
      await sendFrame(90);
      const before = await stored();
      advance(30 + GRACE_MINUTES + 1);
      await steps.sweepOffline();
      const after = await stored();
      assert.deepEqual(after?.checkAt, before?.expectedBy);
      assert.equal(after?.state, before?.state);
      assert.equal((await asset()).status, 'online');
    });

    it('looks at an offline device no more until it is back, also in further batches of the sweep that marked it', async () => {
      await sendFrame(30);
      advance(30 + GRACE_MINUTES + 1);
      await sweepToOffline();
      assert.equal((await stored())?.checkAt, Number.POSITIVE_INFINITY);
      await sendFrame(60);
      const back = await stored();
      assert.deepEqual(back?.checkAt, back?.expectedBy);
    });
  });
});
