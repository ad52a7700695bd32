/** Escalations as customers create, change and delete them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { query } from '../../src/db/query.ts';
import { POLICIES_MAX } from '../../src/escalations/escalation-policy.ts';
import { useOrganization, useService } from '../support/service.ts';
import { toCustomer } from './harness.ts';

describe('Escalations', () => {
  const dms = useService({ withWorker: false });
  const org = useOrganization(dms);
  const customer = toCustomer(dms, org);
  let channelId: string;

  beforeEach(async () => {
    channelId = await customer.channel('nurse');
  });

  const create = (more: object = {}) =>
    org.api.post('/escalations', {
      name: 'On call',
      steps: [{ afterMinutes: 0, channelIds: [channelId] }],
      ...more,
    });
  const steps = (...minutes: number[]) =>
    minutes.map((afterMinutes) => ({ afterMinutes, channelIds: [channelId] }));

  it('accepts a name and steps alone, which match all alerts', async () => {
    const { status, body } = await create();
    assert.equal(status, 201);
    const { id, createdAt, updatedAt, ...rest } = body;
    assert.deepEqual(rest, {
      recType: 'escalation',
      name: 'On call',
      alertTypes: ['high_temp', 'low_temp', 'no_data', 'low_battery', 'sensor_error'],
      severities: ['warning', 'critical'],
      groupIds: [],
      steps: steps(0),
      repeatMinutes: null,
      status: 'active',
    });
    assert.deepEqual((await org.api.get(`/escalations/${id}`)).body, body);
    assert.deepEqual((await org.api.get('/escalations')).body, { items: [body], nextCursor: null });
  });

  it('keeps fields that a change leaves out', async () => {
    const { body } = await create({ repeatMinutes: 30, severities: ['critical'] });
    const changed = await org.api.patch(`/escalations/${body.id}`, { name: 'At night', repeatMinutes: null });
    const { updatedAt } = changed.body;
    assert.deepEqual(changed.body, { ...body, name: 'At night', repeatMinutes: null, updatedAt });
    assert.ok(updatedAt > body.updatedAt);
  });

  it('refuses steps out of order', async () => {
    for (const first of [5, 10]) {
      const { status, body } = await create({ steps: steps(first, 5) });
      assert.equal(status, 400);
      assert.match(body.message, /in the order of afterMinutes/);
    }
  });

  it('refuses channels and groups that do not exist, or belong to another organization', async () => {
    const other = await toCustomer(dms, await dms.addOrganization()).channel('stranger');
    for (const id of [randomUUID(), other]) {
      const { status, body } = await create({ steps: [{ afterMinutes: 0, channelIds: [channelId, id] }] });
      assert.deepEqual([status, body.message], [404, 'No notification channel has this id']);
    }
    assert.equal((await create({ groupIds: [randomUUID()] })).status, 404);
    const { body } = await create();
    const change = { steps: [{ afterMinutes: 0, channelIds: [other] }] };
    assert.equal((await org.api.patch(`/escalations/${body.id}`, change)).status, 404);
  });

  it('protects its channels: deleting one is refused with the name of the escalation', async () => {
    const { body } = await create({ name: 'Cold store' });
    const refused = await org.api.delete(`/notification-channels/${channelId}`);
    assert.equal(refused.status, 409);
    assert.match(refused.body.message, /"Cold store"/);
    await org.api.delete(`/escalations/${body.id}`);
    assert.equal((await org.api.delete(`/notification-channels/${channelId}`)).status, 204);
  });

  it(`allows ${POLICIES_MAX} escalations at most, even with concurrent additions`, async () => {
    await query(
      dms.service.sql,
      `insert into escalation_policies
         (organization_id, name, alert_types, severities, group_ids, steps, channel_ids, status)
       select ?, 'Many', '{}', '{}', '{}', '[]', '{}', 'active' from generate_series(1, ${POLICIES_MAX - 1})`,
      [org.id],
    );
    const statuses = (await Promise.all([create(), create(), create()])).map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [201, 409, 409]);
  });

  it('records escalations before and after a change in the audit trail', async () => {
    const { body } = await create();
    await org.api.patch(`/escalations/${body.id}`, { name: 'At night' });
    await org.api.delete(`/escalations/${body.id}`);
    const { items } = (await org.api.get(`/audit?subject=${body.id}`)).body;
    assert.deepEqual(
      items.map(({ action, before, after }: Record<string, { name: string } & string>) => [
        action,
        before?.name ?? null,
        after?.name ?? null,
      ]),
      [
        ['deleteEscalation', 'At night', null],
        ['updateEscalation', 'On call', 'At night'],
        ['createEscalation', null, 'On call'],
      ],
    );
  });
});
