/** Organizations take turns at the steps of a worker. */
import assert from 'node:assert/strict';
import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { createApplyProfileActivities, type JobUpdates } from '../../activities/apply-profile.ts';
import { createTurns } from '../../activities/turns.ts';
import { createWithdrawProfileActivities } from '../../activities/withdraw-profile.ts';
import { QUICK, QUICK_PLAN, useCustomer } from '../deliveries/harness.ts';
import { eventually } from '../support/fleet.ts';
import { useReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';

describe('The turns of organizations', () => {
  const one = { organizationId: 'one' };
  const other = { organizationId: 'other' };

  it('puts off the step that is one too many for its organization, and no step of another one', async () => {
    const ends: Array<() => void> = [];
    const step = createTurns(2)(
      (_: { organizationId: string }) => new Promise<void>((resolve) => ends.push(resolve)),
    );
    const running = [step(one), step(one), step(other)];
    await assert.rejects(step(one), (failure: ApplicationFailure) => {
      assert.ok(failure instanceof ApplicationFailure);
      assert.deepEqual(
        [failure.nonRetryable, failure.category, failure.nextRetryDelay],
        [false, 'BENIGN', 2_000],
      );
      return true;
    });
    ends[0]?.();
    await running[0];
    running.push(step(one));
    for (const end of ends) end();
    await Promise.all(running);
  });

  it('gives the slot of a step that failed back', async () => {
    const step = createTurns(1)(async (_: { organizationId: string }) => {
      throw new Error('refused by the receiver');
    });
    await assert.rejects(step(one), /refused by the receiver/);
    await assert.rejects(step(one), /refused by the receiver/);
  });

  it('counts all steps that go through devices in chunks together, of jobs and of withdrawals', async () => {
    const ends: Array<() => void> = [];
    const held = () => new Promise<null>((resolve) => ends.push(() => resolve(null)));
    const inTurn = createTurns(1);
    const chunks = { startNext: held, offerNext: held, endNext: held, getJobState: async () => null };
    const jobs = createApplyProfileActivities(chunks, {} as JobUpdates, inTurn);
    const { withdrawFromMembers } = createWithdrawProfileActivities({ withdrawNext: held }, inTurn);
    const job = { ...one, jobId: 'job' };
    const steps = [
      () => jobs.startJob(job),
      () => jobs.beginStage(job, 1),
      () => jobs.completeJob(job),
      () => jobs.abortJob(job),
      () => withdrawFromMembers({ ...one, withdrawalId: 'withdrawal' }),
    ];
    const context = {
      heartbeat() {},
      cancelled: new Promise(() => {}),
      cancellationSignal: new AbortController().signal,
    } as unknown as Context;
    for (const step of steps) {
      const running = asyncLocalStorage.run(context, step);
      for (const another of steps)
        await assert.rejects(asyncLocalStorage.run(context, another), { type: 'Deferred' });
      ends.pop()?.();
      await running;
    }
  });
});

describe('An organization whose receivers hang', () => {
  const ENDPOINTS = 12;
  const atOnce = { jobStepsMax: 4, endpointStepsMax: 8, escalationStepsMax: 4, workflowTasksMax: 10 };
  const dms = useService({ settings: { webhooks: QUICK, atOnce }, deliveryPlan: QUICK_PLAN });
  const [many, single] = [useCustomer(dms), useCustomer(dms)];
  // Held requests end before the service stops.
  const [hanging, working] = [useReceiver(), useReceiver()];

  it('keeps no slot of the worker from the webhook of another organization', async () => {
    const stopped = (response: { writeHead(status: number): { end(): void } }) =>
      response.writeHead(503).end();
    hanging.answer(stopped);
    working.answer(stopped);
    const endpoints = await Promise.all(
      Array.from({ length: ENDPOINTS }, (_, index) => many.subscribe(`${hanging.url}/${index}`)),
    );
    await many.publish(1);
    await Promise.all(endpoints.map(({ breaker }) => eventually(breaker, (state) => state === 'open')));
    let waiting = 0;
    hanging.answer(() => {
      waiting++;
    });
    // A quarter of the slots waits for an answer that never comes.
    await eventually(
      async () => waiting,
      (count) => count === 2,
    );
    const endpoint = await single.subscribe(working.url);
    await single.publish(1);
    await eventually(endpoint.breaker, (state) => state === 'open');
    working.answer((response) => response.writeHead(204).end());
    await endpoint.untilAll('delivered', 1);
    assert.equal(waiting, 2);
  });
});
