/** Subscriptions of endpoints to events, and the content of events. */
import assert from 'node:assert/strict';
import type { DomainEvent } from '../../src/db/domain-event.ts';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { createOutboxRepository } from '../../src/deliveries/outbox.repository.ts';
import { EVENT_CATALOGUE, SUBSCRIBABLE_TYPES } from '../../src/events/event-catalogue.schemas.ts';
import { createPublishEvents } from '../../src/events/events.service.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  HOT_WATER,
  refuse,
  register,
  untilEnded,
} from '../support/fleet.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';
import { addCustomer, type Customer, QUICK, QUICK_PLAN } from './harness.ts';

describe('An event', () => {
  const dms = useService({ settings: { webhooks: QUICK }, deliveryPlan: QUICK_PLAN });
  let customer: Customer;
  let receiver: Receiver;

  beforeEach(async () => {
    customer = await addCustomer(dms);
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await customer.unsubscribeAll();
    await receiver.stop();
  });

  const countRows = async (table: 'events' | 'deliveries') => {
    const [row] = await query<{ count: number }>(
      dms.service.sql,
      `select count(*) from ${table} where organization_id = ?`,
      [customer.id],
    );
    return row?.count;
  };
  const countEvents = () => countRows('events');
  const typesAt = (path: string) =>
    receiver.received.filter((each) => each.path.endsWith(path)).map(({ event }) => event.type);

  it('delivers an event to the endpoints of its organization that subscribed to its type', async () => {
    const otherOrganization = await addCustomer(dms);
    await otherOrganization.subscribe(`${receiver.url}/other-organization`);
    await customer.subscribe(`${receiver.url}/applied`, { events: ['config.applied'] });
    await customer.subscribe(`${receiver.url}/finished`, { events: ['config.job.finished'] });
    await customer.subscribe(`${receiver.url}/every`, { events: SUBSCRIBABLE_TYPES });
    await customer.subscribe(`${receiver.url}/other`, { events: ['device.offline', 'alert.created'] });
    await customer.subscribe(`${receiver.url}/disabled`, { status: 'disabled' });
    await customer.subscribeCellular(`${receiver.url}/cellular-with`);
    await customer.subscribeCellular(`${receiver.url}/cellular-without`, { deliverConfigApplied: false });
    const { jobId } = await customer.confirmChanges(1);
    await untilEnded(customer, jobId);
    await receiver.until(5);
    assert.equal(await countRows('deliveries'), 5);
    assert.deepEqual(typesAt('/applied'), ['config.applied']);
    assert.deepEqual(typesAt('/finished'), ['config.job.finished']);
    assert.deepEqual(typesAt('/every').sort(), ['config.applied', 'config.job.finished']);
    assert.deepEqual(typesAt('/cellular-with'), ['config.applied']);
    assert.equal(receiver.received.length, 5);
  });

  it('stores no event when no endpoint subscribes', async () => {
    const endpoint = await customer.subscribe(receiver.url, { events: ['device.offline'] });
    await customer.subscribe(receiver.url, { status: 'disabled' });
    await untilEnded(customer, (await customer.confirmChanges(2)).jobId);
    assert.equal(await countEvents(), 0);
    assert.deepEqual(await endpoint.deliveries(), []);
  });

  it('delivers by the subscription at the time of the event', async () => {
    const endpoint = await customer.subscribe(receiver.url, { events: ['device.offline'] });
    await customer.confirmChanges(1);
    await endpoint.change({ events: ['config.applied'] });
    await customer.confirmChanges(1);
    await endpoint.untilAll('delivered', 1);
  });

  it('publishes config.applied with the device, the job and the configuration', async () => {
    await customer.subscribe(receiver.url);
    const { serials, jobId } = await customer.confirmChanges(1);
    const [first] = await receiver.until(1);
    const { type, timestamp, data } = first?.event ?? assert.fail();
    assert.equal(type, 'config.applied');
    assert.ok(Math.abs(Date.parse(timestamp) - Date.now()) < 5 * 60_000);
    assert.deepEqual(Object.keys(data).sort(), [
      'appliedAt',
      'assetId',
      'deviceConfig',
      'jobId',
      'profileSlug',
      'serialNumber',
    ]);
    assert.deepEqual(
      [data.serialNumber, data.jobId, data.profileSlug],
      [serials[0], jobId, 'vaccine-fridge'],
    );
    assert.equal(data.appliedAt, timestamp);
    const { body } = await customer.api.get(`/devices/${serials[0]}/config`);
    assert.deepEqual(data.deviceConfig, body.deviceConfig);
    assert.ok(Buffer.byteLength(first?.body ?? '') < 20_000);
  });

  it('publishes config.applied for each job that a confirmation settles, or once with jobId null', async () => {
    await customer.subscribe(receiver.url);
    const slug = await createProfile(customer, {
      name: 'Often',
      intervals: HOT_WATER.intervals,
    });
    const assetId = await register(customer, 'TWO-JOBS');
    const jobs = [
      await apply(customer, 'vaccine-fridge', { serialNumbers: ['TWO-JOBS'] }),
      await apply(customer, slug, { serialNumbers: ['TWO-JOBS'] }),
    ];
    await applyAnswer(customer, 'TWO-JOBS');
    const received = await receiver.until(2);
    assert.deepEqual(received.map(({ event }) => event.data.jobId).sort(), [...jobs].sort());
    const replaced = await customer.api.post(`/assets/${assetId}/replace-hardware`, {
      newSerialNumber: 'NEW-ONE',
    });
    assert.equal(replaced.status, 200, replaced.text);
    await applyAnswer(customer, 'NEW-ONE');
    const [, , third] = await receiver.until(3);
    assert.deepEqual(
      [third?.event.data.jobId, third?.event.data.profileSlug, third?.event.data.serialNumber],
      [null, null, 'NEW-ONE'],
    );
    assert.equal(await countRows('deliveries'), 3);
    assert.equal(receiver.received.length, 3);
  });

  it('publishes config.failed with the reason of the device, and config.job.finished with the job', async () => {
    await customer.subscribe(receiver.url, { events: ['config.failed', 'config.job.finished'] });
    await register(customer, 'STUBBORN');
    const jobId = await apply(customer, 'vaccine-fridge', { serialNumbers: ['STUBBORN'] });
    const refused = await refuse(customer, 'STUBBORN', { code: 7, message: 'no such rule' });
    assert.equal(refused.body.syncStatus, 'failed', refused.text);
    const received = await receiver.until(2);
    const failed = received.find(({ event }) => event.type === 'config.failed')?.event.data;
    assert.deepEqual(Object.keys(failed ?? {}).sort(), [
      'assetId',
      'deviceConfig',
      'failedAt',
      'jobId',
      'profileSlug',
      'reason',
      'serialNumber',
    ]);
    assert.deepEqual([failed?.serialNumber, failed?.jobId], ['STUBBORN', jobId]);
    assert.match(String(failed?.reason), /no such rule \(code 7\)/);
    const finished = received.find(({ event }) => event.type === 'config.job.finished')?.event.data;
    const { body } = await customer.api.get(`/devices/config-jobs/${jobId}`);
    assert.deepEqual(finished, body);
  });

  it('publishes config.applied without a job when the device runs the rest of a superseded change', async () => {
    await register(customer, 'LEFT-OVER');
    for (const [name, intervals] of Object.entries({
      Both: { measurementIntervalMinutes: 10, transmissionIntervalSeconds: 3_600 },
      Daily: { transmissionIntervalSeconds: 86_400 },
    }))
      await createProfile(customer, { name, slug: name.toLowerCase(), intervals });
    await apply(customer, 'both', { serialNumbers: ['LEFT-OVER'] });
    const daily = await apply(customer, 'daily', { serialNumbers: ['LEFT-OVER'] });
    await customer.api.post(`/devices/config-jobs/${daily}/cancel`);
    const endpoint = await customer.subscribe(receiver.url, { events: ['config.applied'] });
    await applyAnswer(customer, 'LEFT-OVER');
    await endpoint.untilAll('delivered', 1);
    const { jobId, profileSlug, deviceConfig } = receiver.received[0]?.event.data ?? assert.fail();
    assert.deepEqual([jobId, profileSlug], [null, null]);
    assert.equal((deviceConfig as Record<string, number>).measurementPeriodBase, 600);
  });

  it('publishes config.applied with the job that it settles, not with one that failed before', async () => {
    await register(customer, 'SECOND-THOUGHTS');
    const jobId = await apply(customer, 'vaccine-fridge', { serialNumbers: ['SECOND-THOUGHTS'] });
    await refuse(customer, 'SECOND-THOUGHTS');
    await untilEnded(customer, jobId);
    const retried = await customer.api.post(`/devices/config-jobs/${jobId}/retry`);
    assert.equal(retried.status, 201, retried.text);
    const endpoint = await customer.subscribe(receiver.url);
    await applyAnswer(customer, 'SECOND-THOUGHTS');
    await endpoint.untilAll('delivered', 1);
    assert.equal(receiver.received[0]?.event.data.jobId, retried.body.id);
  });

  it('stores an event only when the transaction of its fact commits', async () => {
    const endpoint = await customer.subscribe(receiver.url);
    const publish = createPublishEvents({
      deliveriesIn: createOutboxRepository,
      onQueued: () => {},
    });
    const transact = createTransact(dms.service.sql);
    const event: DomainEvent = {
      organizationId: customer.id,
      type: 'config.applied',
      timestamp: new Date(),
      data: EVENT_CATALOGUE['config.applied'].example,
    };
    const undone = transact(async (tx) => {
      await publish(tx, [event]);
      throw new Error('the fact is undone');
    });
    await assert.rejects(undone, /undone/);
    assert.equal(await countEvents(), 0);
    await transact((tx) => publish(tx, [event, event]));
    await endpoint.untilAll('delivered', 2);
    assert.equal(await countEvents(), 2);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 2);
  });
});
