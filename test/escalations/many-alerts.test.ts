/** Many alerts at once: each escalates, on a task queue of its own, while jobs continue. */
import assert from 'node:assert/strict';
import pg from 'pg';
import { query } from '../../src/db/query.ts';
import { escalationTaskQueue } from '../../src/temporal/workflow-ids.ts';
import { useMessageReceiver } from '../notifications/harness.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  eventually,
  FRIDGE,
  inTurns,
  registerMany,
  untilEnded,
} from '../support/fleet.ts';
import { countLockWaits } from '../support/lock-waits.ts';
import { useService } from '../support/service.ts';
import { runOf, toCustomer } from './harness.ts';

const MANY = 60;
/** One step and the wait for the next: start, two decisions and one step. */
const EVENTS_PER_ALERT = 15;
const STEPS_MAX = 4;
/** Fewer steps of jobs at once than of escalations, so a job would wait for escalations on its own task queue. */
const AT_ONCE = {
  jobStepsMax: STEPS_MAX,
  endpointStepsMax: 1,
  escalationStepsMax: STEPS_MAX,
  workflowTasksMax: 10,
};
/** An arbitrary number. */
const STEP_LOCK = 4_712;

describe('Many alerts at once', () => {
  const receiver = useMessageReceiver();
  // The sweep would wake late runs, which costs events.
  const dms = useService({
    settings: { notificationIntervalMs: 0, runCheckIntervalMs: 600_000, atOnce: AT_ONCE },
  });

  const named = () => receiver.received.flatMap(({ body }) => JSON.parse(body).data.alerts as Named[]);
  async function countRows(statement: string): Promise<number> {
    const [row] = await query<{ count: number }>(
      dms.service.sql,
      `select count(*)::integer as count from ${statement} and organization_id = ?`,
      [dms.id],
    );
    return row?.count ?? 0;
  }
  const countMade = () => countRows('alert_escalations where steps_made > 0');
  const countUnsent = () => countRows(`notifications where state = 'pending'`);

  /** Lets no escalation make a step until the returned function is called. */
  async function holdSteps(): Promise<() => Promise<void>> {
    await query(
      dms.service.sql,
      `create function wait_for_step_lock() returns trigger language plpgsql as $$
       begin
         perform pg_advisory_xact_lock_shared(${STEP_LOCK});
         return new;
       end $$`,
    );
    await query(
      dms.service.sql,
      `create trigger alert_escalations_wait before update on alert_escalations for each row
       when (new.steps_made > old.steps_made) execute function wait_for_step_lock()`,
    );
    const holder = new pg.Client(dms.settings.databaseUrl);
    await holder.connect();
    await holder.query(`select pg_advisory_lock(${STEP_LOCK})`);
    return () => holder.end();
  }

  it('escalates each alert once, in few messages, with few history events, without delaying a job of another organization', async () => {
    const customer = toCustomer(dms, dms);
    const channel = await customer.channel('', { target: receiver.url });
    await customer.escalation([
      [0, channel],
      [60, channel],
    ]);
    const serials = await registerMany(dms, MANY, 'MANY');
    const other = await dms.addOrganization();
    const [serial = ''] = await registerMany(other, 1, 'OTHER');
    const slug = await createProfile(other, FRIDGE);
    const measuredAt = new Date().toISOString();
    const readings = [{ channel: 1, type: 'temperature', value: 5, measuredAt }];
    const releaseSteps = await holdSteps();
    try {
      await inTurns(serials, 20, (each) =>
        dms.device.post(`/devices/${each}/measurements`, { readings, batteryStatus: 'low' }),
      );
      await eventually(
        () => countLockWaits(dms.service.sql),
        (waiting) => waiting >= STEPS_MAX,
      );
      const jobId = await apply(other, slug, { serialNumbers: [serial] });
      await applyAnswer(other, serial);
      assert.equal((await untilEnded(other, jobId)).status, 'succeeded');
      assert.equal(await countMade(), 0);
    } finally {
      await releaseSteps();
    }

    await eventually(
      async () => named(),
      ({ length }) => length >= MANY,
    );
    // Any repeated message has been sent by then.
    await eventually(countUnsent, (count) => count === 0);
    const all = named();
    assert.equal(all.length, MANY);
    assert.deepEqual(new Set(all.map(({ alert }) => alert.serialNumber)), new Set(serials));
    assert.ok(receiver.received.length < MANY, `${receiver.received.length} messages`);
    const rows = await query<{ steps_made: number }>(
      dms.service.sql,
      'select distinct steps_made from alert_escalations where organization_id = ?',
      [dms.id],
    );
    assert.deepEqual(rows, [{ steps_made: 1 }]);
    const run = await runOf(dms, all[0]?.alert.id ?? '').describe();
    assert.equal(run.taskQueue, escalationTaskQueue(dms.settings.taskQueue));
    assert.ok(run.historyLength <= EVENTS_PER_ALERT, `${run.historyLength} events`);
  });
});

interface Named {
  alert: { id: string; serialNumber: string };
}
