/**
 * Many devices of one organization that miss their contact at once cause one event and one alarm, not one for
 * each.
 */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { isFleetOverdue } from '../../src/presence/overdue-fleet.ts';
import { createOverdueFleetsRepository } from '../../src/presence/overdue-fleets.repository.ts';
import { createLog } from '../../src/process/log.ts';
import { register } from '../support/fleet.ts';
import { allowIdle } from '../support/lock-waits.ts';
import { missContact as missContactOf, newFleet as newFleetOf } from '../support/overdue-devices.ts';
import { type TestOrganization, useService } from '../support/service.ts';
import { useSteps } from '../support/steps.ts';

const EVENTS = ['device.offline', 'device.online', 'alert.created', 'alert.resolved', 'fleet.silent'];

describe('The rule of an overdue fleet', () => {
  it('requires more than a tenth of the devices, and more than twenty', () => {
    const cases: Array<[overdue: number, total: number, isOverdue: boolean]> = [
      [20, 20, false],
      [21, 21, true],
      [21, 209, true],
      [21, 210, false],
      [100, 1_000, false],
      [101, 1_000, true],
    ];
    for (const [overdue, total, isOverdue] of cases) {
      assert.equal(isFleetOverdue({ overdue, total }), isOverdue, `${overdue} of ${total}`);
    }
  });
});

describe('An overdue fleet', () => {
  let org: TestOrganization;
  let webhookId: string;
  const lines: Array<Record<string, unknown>> = [];
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const dms = useService({ withWorker: false });
  const steps = useSteps(dms, { log });
  beforeEach(async () => {
    org = await dms.addOrganization();
    const webhook = { url: 'http://127.0.0.1:9/hook', events: EVENTS };
    webhookId = (await org.api.post('/webhooks', webhook)).body.id;
  });

  const sendFrame = async (serial: string) => {
    const readings = [{ channel: 1, type: 'temperature', value: 5, measuredAt: new Date().toISOString() }];
    const nextTransmissionAt = new Date(Date.now() + 3_600_000).toISOString();
    await org.device.post(`/devices/${serial}/measurements`, { readings, nextTransmissionAt });
  };
  const newFleet = (count: number) => newFleetOf(dms, org, count);
  const missContact = (serials: string[]) => missContactOf(dms, org, serials);
  const countOffline = async (): Promise<number> => {
    const [row] = await query<{ count: number }>(
      dms.service.sql,
      `select count(*) as count from device_states where organization_id = ? and status = 'offline'`,
      [org.id],
    );
    return row?.count as number;
  };
  const sweepTo = async (offline: number) => {
    await steps.sweepOffline();
    assert.equal(await countOffline(), offline);
  };
  /** Holds the states of the devices as a process does that works on them. */
  const whileLocked = (serials: string[], act: () => Promise<void>) =>
    dms.service.sql.transaction(async (tx) => {
      await allowIdle(tx);
      await query(
        tx,
        `select from device_states where organization_id = :organizationId and asset_id = any (array(
           select id from assets where organization_id = :organizationId and serial_number = any(:serials::text[])
         )) for update`,
        { organizationId: org.id, serials },
      );
      await act();
    });
  const isOverdue = async () =>
    (await createOverdueFleetsRepository(dms.service.sql).list()).some(
      ({ organizationId }) => organizationId === org.id,
    );
  const sweepToEnd = async () => {
    await steps.sweepOffline();
    assert.equal(await isOverdue(), false);
  };
  const published = async (): Promise<Record<string, number>> => {
    const rows = await query<{ type: string; count: number }>(
      dms.service.sql,
      `select event_type as type, count(*) as count from deliveries
       where organization_id = ? and endpoint_id = ? group by 1`,
      [org.id, webhookId],
    );
    return Object.fromEntries(rows.map(({ type, count }) => [type, count]));
  };
  const listed = async (status: string): Promise<number> =>
    (await org.api.get(`/alerts?limit=1&status=${status}`)).body.totalItems;
  const alarms = () => lines.filter(({ level, organizationId }) => level === 50 && organizationId === org.id);

  it('publishes one event with its counts, while the list shows the alerts of its devices', async () => {
    const serials = await newFleet(30);
    await missContact(serials.slice(0, 25));
    await sweepTo(25);
    assert.deepEqual(await published(), { 'fleet.silent': 1 });
    assert.equal(await listed('new'), 25);
    const { items } = (await org.api.get(`/webhooks/${webhookId}/deliveries`)).body;
    const { body } = await org.api.get(`/webhooks/${webhookId}/deliveries/${items[0].id}`);
    const { since, ...counts } = body.payload.data;
    assert.deepEqual(counts, { silent: 25, total: 30 });
    assert.ok(Date.parse(since) < Date.now());
  });

  it('raises one alarm of the operator, and a metric for as long as it lasts', async () => {
    const overdueFleets = async () => {
      const text = await (await fetch(dms.metricsUrl)).text();
      return Number(/^dms_overdue_fleets (\d+)$/m.exec(text)?.[1]);
    };
    const before = await overdueFleets();
    await missContact(await newFleet(22));
    await sweepTo(22);
    assert.equal(alarms().length, 1);
    assert.deepEqual([alarms()[0]?.overdue, alarms()[0]?.total], [22, 22]);
    assert.equal(await overdueFleets(), before + 1);
  });

  it('publishes no event for devices that become overdue while it lasts', async () => {
    const serials = await newFleet(30);
    await missContact(serials.slice(0, 25));
    await sweepTo(25);
    await missContact(serials.slice(25));
    await sweepTo(30);
    assert.deepEqual(await published(), { 'fleet.silent': 1 });
    assert.equal(alarms().length, 1);
  });

  it('ends when no more than twenty are overdue, which then have events of their own', async () => {
    const serials = await newFleet(23);
    await missContact(serials);
    await sweepTo(23);
    await Promise.all(serials.slice(0, 3).map(sendFrame));
    await sweepToEnd();
    assert.deepEqual(await published(), { 'fleet.silent': 1, 'alert.created': 20, 'device.offline': 20 });
    assert.deepEqual([await listed('new'), await listed('resolved')], [20, 3]);
    await sendFrame(serials[3] as string);
    const { 'device.online': online, 'alert.resolved': resolved } = await published();
    assert.deepEqual([online, resolved], [1, 1]);
  });

  it('publishes no event for a device that comes back meanwhile, by a frame or by a report', async () => {
    const serials = await newFleet(23);
    await missContact(serials);
    await sweepTo(23);
    const settings = { measurementPeriodBase: 60, measurementPeriodFactor: 1, transmissionInterval: 3_600 };
    await sendFrame(serials[0] as string);
    await org.device.post(`/devices/${serials[1]}/config-reports`, settings);
    await sweepTo(21);
    assert.deepEqual(await published(), { 'fleet.silent': 1 });
    assert.deepEqual([await listed('new'), await listed('resolved')], [21, 2]);
    assert.equal(await isOverdue(), true);
  });

  it('ends when the operator confirms it: each of its devices has its own events from then on', async () => {
    const serials = await newFleet(25);
    await missContact(serials);
    await sweepTo(25);
    assert.equal(await createOverdueFleetsRepository(dms.service.sql).confirm(org.id), true);
    await sweepToEnd();
    assert.deepEqual(await published(), { 'fleet.silent': 1, 'alert.created': 25, 'device.offline': 25 });
    await register(org, 'LATER');
    await sendFrame('LATER');
    await missContact(['LATER']);
    await sweepTo(26);
    assert.equal((await published())['device.offline'], 26);
  });

  it('leaves other organizations as they are', async () => {
    const stranger = await dms.addOrganization();
    await missContact(await newFleet(25));
    org = stranger;
    webhookId = (await org.api.post('/webhooks', { url: 'http://127.0.0.1:9/', events: EVENTS })).body.id;
    await missContact(await newFleet(20));
    await sweepTo(20);
    assert.deepEqual(await published(), { 'alert.created': 20, 'device.offline': 20 });
  });

  it('lasts while another process still marks its devices', async () => {
    const serials = await newFleet(25);
    await missContact(serials);
    await whileLocked(serials, () => sweepTo(0));
    assert.equal(await isOverdue(), true);
    await sweepTo(25);
    assert.deepEqual(await published(), { 'fleet.silent': 1 });
  });

  it('marks all its devices in one sweep, although a frame holds one of them', async () => {
    const serials = await newFleet(510);
    await missContact(serials);
    await whileLocked(serials.slice(0, 1), () => sweepTo(509));
    assert.deepEqual(await published(), { 'fleet.silent': 1 });
  });

  it('announces more than five hundred devices one by one when it is confirmed', async () => {
    const serials = await newFleet(510);
    await missContact(serials);
    await sweepTo(510);
    assert.deepEqual(await published(), { 'fleet.silent': 1 });
    await createOverdueFleetsRepository(dms.service.sql).confirm(org.id);
    await sweepToEnd();
    assert.deepEqual(await published(), { 'fleet.silent': 1, 'alert.created': 510, 'device.offline': 510 });
    assert.equal(await listed('new'), 510);
  });
});
