/**
 * Changes that many open escalations follow: the request writes one row, and a sweep processes them in
 * chunks.
 */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { createAlertEscalationsRepository } from '../../src/escalations/alert-escalations.repository.ts';
import { createEscalationChangesRepository } from '../../src/escalations/escalation-changes.repository.ts';
import { createEscalationChanges } from '../../src/escalations/escalation-changes.service.ts';
import { createPoliciesRepository } from '../../src/escalations/escalation-policies.repository.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { useOrganization, useService } from '../support/service.ts';
import { newRun, toCustomer } from './harness.ts';

/** More than two chunks. */
const MANY = 1_200;
const BEGAN_AT = new Date('2026-03-02T08:00:00Z');

describe('A change of open escalations', () => {
  const dms = useService({ withWorker: false });
  const org = useOrganization(dms);
  const customer = toCustomer(dms, org);
  let channelId: string;
  let woken: string[];
  let setAside: unknown[];

  beforeEach(async () => {
    await query(dms.service.sql, 'delete from escalation_changes');
    channelId = await customer.channel('nurse');
    [woken, setAside] = [[], []];
  });

  const steps = (...minutes: number[]) =>
    minutes.map((afterMinutes) => ({ afterMinutes, channelIds: [channelId] }));

  /** Before their first step, which is due after ten minutes. */
  async function addEscalations(count: number, organizationId = org.id, policy?: string): Promise<string> {
    const policyId = policy ?? (await customer.escalation([[10, channelId]]));
    await query(
      dms.service.sql,
      `with assets as (
         insert into assets (organization_id, serial_number, name)
         select :organizationId::uuid, 'MANY-' || n, '' from generate_series(1, :count::integer) as n
         returning organization_id, id, serial_number
       ), alerts as (
         insert into alerts (organization_id, asset_id, serial_number, type, status, details, started_at)
         select organization_id, id, serial_number, 'no_data', 'new', '{}', now() from assets
         returning organization_id, id
       )
       insert into alert_escalations (organization_id, alert_id, policy_id, began_at, next_step_at)
       select organization_id, id, :policyId::uuid, :beganAt::timestamptz,
         :beganAt::timestamptz + interval '10 minutes' from alerts`,
      { organizationId, count, policyId, beganAt: BEGAN_AT },
    );
    return policyId;
  }

  /** Sweeps for this many rounds, or until nothing is pending. */
  function follow(
    rounds = Number.POSITIVE_INFINITY,
    policiesIn: Parameters<typeof createEscalationChanges>[0]['policiesIn'] = createPoliciesRepository,
  ): Promise<void> {
    const { sql } = dms.service;
    let left = rounds;
    const sweep = createEscalationChanges({
      transact: createTransact(sql),
      changes: createEscalationChangesRepository(sql),
      changesIn: createEscalationChangesRepository,
      policiesIn,
      escalationsIn: createAlertEscalationsRepository,
      wakeRuns: (alerts) => void woken.push(...alerts.map(({ alertId }) => alertId)),
      now: () => BEGAN_AT,
      onSetAside: (_, error) => void setAside.push(error),
    });
    return sweep(() => left-- > 0);
  }

  /** Number of escalations of each state and next step, in minutes. */
  const count = async (organizationId = org.id): Promise<Record<string, number>> => {
    const rows = await query<{ state: string; next: Date; count: number }>(
      dms.service.sql,
      `select state, next_step_at as next, count(*)::integer as count from alert_escalations
       where organization_id = ? group by 1, 2 order by 1, 2`,
      [organizationId],
    );
    return Object.fromEntries(
      rows.map((row) => [`${row.state} ${(row.next.getTime() - BEGAN_AT.getTime()) / MINUTE_MS}`, row.count]),
    );
  };
  const pending = async () =>
    (await createEscalationChangesRepository(dms.service.sql).listFirst(ZERO, 10, [])).length;

  it('writes no escalation in the request, and plans all of them in a sweep', async () => {
    const policyId = await addEscalations(MANY);
    await org.api.patch(`/escalations/${policyId}`, { steps: steps(5) });
    assert.deepEqual(await count(), { 'open 10': MANY });
    await follow(1);
    assert.deepEqual(await count(), { 'open 5': 500, 'open 10': MANY - 500 });
    await follow();
    assert.deepEqual(await count(), { 'open 5': MANY });
    assert.deepEqual([new Set(woken).size, await pending(), setAside], [MANY, 0, []]);
  });

  it('wakes no run whose step is postponed', async () => {
    const policyId = await addEscalations(3);
    await org.api.patch(`/escalations/${policyId}`, { steps: steps(20) });
    await follow();
    assert.deepEqual([await count(), woken], [{ 'open 20': 3 }, []]);
  });

  it('ignores changes of the name and of the matching rules alone', async () => {
    const policyId = await addEscalations(1);
    await org.api.patch(`/escalations/${policyId}`, {
      name: 'At night',
      severities: ['critical'],
      steps: steps(10),
      status: 'active',
    });
    assert.equal(await pending(), 0);
  });

  it('ends all escalations when the policy is disabled or deleted', async () => {
    const disabled = await addEscalations(3);
    await org.api.patch(`/escalations/${disabled}`, { status: 'disabled' });
    await follow();
    assert.deepEqual(await count(), { 'policy_disabled 10': 3 });
    await org.api.delete(`/escalations/${disabled}`);
    await follow();
    assert.deepEqual(await count(), { 'policy_disabled 10': 3 });
    assert.equal(woken.length, 3);
  });

  it('ends escalations from before their policy was disabled, also when it is enabled again before the sweep', async () => {
    const policyId = await addEscalations(3);
    for (const status of ['disabled', 'active'])
      await org.api.patch(`/escalations/${policyId}`, { status, steps: steps(5) });
    const { id } = await customer.openAlert();
    await follow();
    const states = await query<{ isLater: boolean; state: string }>(
      dms.service.sql,
      'select alert_id = ? as "isLater", state from alert_escalations where organization_id = ? order by 1, 2',
      [id, org.id],
    );
    assert.deepEqual(
      states.map(({ isLater, state }) => [isLater, state]),
      [...Array(3).fill([false, 'policy_disabled']), [true, 'open']],
    );
    assert.equal(woken.length, 3);
  });

  it('makes no step of an escalation from before its policy was disabled and enabled again', async () => {
    const policyId = await addEscalations(1);
    for (const status of ['disabled', 'active']) await org.api.patch(`/escalations/${policyId}`, { status });
    const [alert] = (await org.api.get('/alerts')).body.items;
    const run = newRun(dms, () => new Date(BEGAN_AT.getTime() + 11 * MINUTE_MS));
    const view = await run.makeDueStep({ organizationId: org.id, alertId: alert.id });
    assert.deepEqual([view?.state, await customer.sent()], ['policy_disabled', []]);
  });

  it('starts over when the policy changes again meanwhile', async () => {
    const policyId = await addEscalations(MANY);
    await org.api.patch(`/escalations/${policyId}`, { steps: steps(5) });
    await follow(1);
    await org.api.patch(`/escalations/${policyId}`, { steps: steps(7) });
    await follow();
    assert.deepEqual(await count(), { 'open 7': MANY });
  });

  it('sets a change that fails aside once, and follows the others of its organization', async () => {
    const policies = [await addEscalations(1), await customer.escalation([[10, channelId]])];
    for (const policyId of policies) await org.api.delete(`/escalations/${policyId}`);
    const changes = createEscalationChangesRepository(dms.service.sql);
    const [first] = await changes.listFirst(ZERO, 1, []);
    assert.ok(first);
    const broken = await changes.lock(first);
    await follow(undefined, () => ({
      async find({ policyId }) {
        if (policyId === broken?.policyId) throw new Error('is broken');
        return null;
      },
    }));
    assert.deepEqual(
      [setAside.map(String), await changes.listFirst(ZERO, 2, [])],
      [['Error: is broken'], [first]],
    );
  });

  it('sets no change aside while the database is away', async () => {
    const policyId = await addEscalations(1);
    await org.api.delete(`/escalations/${policyId}`);
    const find = () => Promise.reject(Object.assign(new Error('shutting down'), { code: '57P01' }));
    await assert.rejects(
      follow(undefined, () => ({ find })),
      /shutting down/,
    );
    assert.deepEqual([setAside, await pending()], [[], 1]);
  });

  it('delays no escalation of another organization', async () => {
    const policyId = await addEscalations(MANY);
    const other = await dms.addOrganization();
    const channel = await toCustomer(dms, other).channel('head');
    const otherPolicy = await toCustomer(dms, other).escalation([[10, channel]]);
    await addEscalations(1, other.id, otherPolicy);
    await org.api.delete(`/escalations/${policyId}`);
    await other.api.delete(`/escalations/${otherPolicy}`);
    await follow(1);
    assert.deepEqual(await count(other.id), { 'policy_deleted 10': 1 });
    assert.deepEqual(await count(), { 'open 10': MANY - 500, 'policy_deleted 10': 500 });
  });
});

const ZERO = '00000000-0000-0000-0000-000000000000';
