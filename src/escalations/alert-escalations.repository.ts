/** Escalations of alerts: their progress, what holds them, and those without a run in Temporal. */
import type { AlertRef } from '../alerts/alert.ts';
import { acrossOrganizations, countRows } from '../db/builder.ts';
import type { Columns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import { lastOf } from '../process/pages.ts';
import type { AlertEscalation, EscalationState } from './alert-escalation.ts';
import { DUE_AT, IS_DUE, LIST_WITHOUT_WORKFLOW, MUTED_UNTIL } from './alert-escalations.statements.ts';
import type { EscalationTitle } from './escalation-description.ts';
import { type EscalationProgress, REPEATS_MAX } from './escalation-plan.ts';
import type { EscalationPolicy, PolicyRef } from './escalation-policy.ts';

interface EscalationRow extends Columns<Omit<AlertEscalation, 'hasBeenSnoozed' | 'fleet'>> {
  organization_id: string;
  alert_id: string;
  held_until: Date | null;
  fleet_overdue: number | null;
  fleet_total: number | null;
  workflow_checked_at: Date | null;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    alert_escalations: EscalationRow;
  }
}

const toEscalation = (row: EscalationRow): AlertEscalation => ({
  policyId: row.policy_id,
  state: row.state,
  beganAt: row.began_at,
  stepsMade: row.steps_made,
  repeatsMade: row.repeats_made,
  lastStepAt: row.last_step_at,
  nextStepAt: row.next_step_at,
  mutedUntil: row.muted_until,
  hasBeenSnoozed: row.held_until !== null,
  fleet:
    row.fleet_overdue === null || row.fleet_total === null
      ? null
      : { overdue: row.fleet_overdue, total: row.fleet_total },
});

interface EscalationCounts {
  open: number;
  /** How long the most overdue step has been due, in seconds; 0 when none is due. */
  overdueSeconds: number;
}

/** The next escalations after that alert, ordered by alert. */
export interface Chunk {
  after: string;
  limit: number;
}

export interface FollowedChunk {
  /** The alert after which the next chunk begins; null: this was the last chunk. */
  last: string | null;
  /** Escalations whose runs have to check their rows again. */
  affected: AlertRef[];
}

/** Bounds the count for the metric. */
const COUNTED_MAX = 10_000;

/** The time of the next step by a policy. In UTC, because Citus refuses the sum of a time with a zone in a `case`. */
const NEXT_STEP_AT = `case
  when steps_made < jsonb_array_length(:steps::jsonb)
    then (began_at at time zone 'UTC'
      + make_interval(mins => (:steps::jsonb -> steps_made ->> 'afterMinutes')::integer)) at time zone 'UTC'
  when repeats_made < :repeatsMax
    then (last_step_at at time zone 'UTC' + make_interval(mins => :repeatMinutes::integer)) at time zone 'UTC' end`;
/** The escalation has ended, or its next step is earlier than before. */
const IS_AFFECTED = `state <> 'open' or coalesce(next_step_at < coalesce(old.next_step_at, 'infinity'), false)`;

export type AlertEscalationsRepository = ReturnType<typeof createAlertEscalationsRepository>;

export function createAlertEscalationsRepository(sql: Database) {
  const all = (organizationId: string) => sql('alert_escalations').where({ organization_id: organizationId });
  const one = ({ organizationId, alertId }: AlertRef) => all(organizationId).where({ alert_id: alertId });

  /** Locks open escalations in the order of their alerts, as all transactions do that change several. */
  const lockNext = (
    organizationId: string,
    held: Partial<Pick<EscalationRow, 'policy_id' | 'muted_until'>>,
    { after, limit }: Chunk,
  ): Promise<string[]> =>
    all(organizationId)
      .where({ ...held, state: 'open' })
      .where('alert_id', '>', after)
      .orderBy('alert_id')
      .limit(limit)
      .forNoKeyUpdate()
      .pluck('alert_id');

  const toFollowed = (
    organizationId: string,
    alertIds: string[],
    affected: string[],
    { limit }: Chunk,
  ): FollowedChunk => ({
    last: lastOf(alertIds, limit),
    affected: affected.map((alertId) => ({ organizationId, alertId })),
  });

  return {
    /** The caller has locked the alert. */
    async lock(ref: AlertRef): Promise<AlertEscalation | null> {
      const row = await one(ref).first().forNoKeyUpdate();
      return row ? toEscalation(row) : null;
    },

    /** @throws when a step was made meanwhile */
    async recordStep(
      ref: AlertRef,
      before: EscalationProgress,
      after: EscalationProgress,
      nextStepAt: Date | null,
    ): Promise<void> {
      const count = await one(ref)
        .where({ state: 'open', steps_made: before.stepsMade, repeats_made: before.repeatsMade })
        .update({
          steps_made: after.stepsMade,
          repeats_made: after.repeatsMade,
          last_step_at: after.lastStepAt,
          next_step_at: nextStepAt,
          muted_until: null,
        });
      if (count !== 1) throw new Error('A step of an escalation was made twice at once');
    },

    /** Stores the next step by the current policy and mute. */
    async plan(
      ref: AlertRef,
      { nextStepAt, mutedUntil }: Pick<AlertEscalation, 'nextStepAt' | 'mutedUntil'>,
    ): Promise<void> {
      await one(ref).update({ next_step_at: nextStepAt, muted_until: mutedUntil });
    },

    async setState(ref: AlertRef, state: EscalationState): Promise<void> {
      await one(ref).update({ state });
    },

    /**
     * Holds the escalation after an acknowledgement: until the end of the snooze, or for good. Returns
     * whether the alert still escalates; an escalation whose policy is gone or whose alert is resolved has
     * ended.
     */
    async hold(ref: AlertRef, snoozeUntil: Date | null): Promise<boolean> {
      const count = await one(ref)
        .whereIn('state', ['open', 'acknowledged'])
        .update({ state: snoozeUntil === null ? 'acknowledged' : 'open', held_until: snoozeUntil });
      return count > 0;
    },

    /** Records that the run has checked the escalation, or a sweep has checked the run. */
    async touchWorkflow(ref: AlertRef): Promise<void> {
      await one(ref).update({ workflow_checked_at: sql.fn.now() });
    },

    async findTitle({ organizationId, alertId }: AlertRef): Promise<EscalationTitle | null> {
      const row = await sql('alerts')
        .where({ organization_id: organizationId, id: alertId })
        .first('serial_number', 'type');
      return row ? { serialNumber: row.serial_number, alertType: row.type } : null;
    },

    /** When the mute of the device ends; null: it is not muted. */
    async findMutedUntil(ref: AlertRef, now: Date): Promise<Date | null> {
      const { organizationId: organization_id, alertId: id } = ref;
      const until = sql.raw(`${MUTED_UNTIL} as until`, { now });
      const row = await sql({ a: 'alerts' }).where({ organization_id, id }).first(until);
      return row?.until ?? null;
    },

    /** Whether a step is due. */
    async isDue(ref: AlertRef, now: Date): Promise<boolean> {
      const due = await one(ref).from({ e: 'alert_escalations' }).whereRaw(IS_DUE, { now }).first('alert_id');
      return due !== undefined;
    },

    /**
     * Escalations of all organizations for a sweep: those with a due step first, one of each organization in
     * turn, then those longest unchecked.
     */
    listWithoutWorkflow: (now: Date, olderThanMs: number, limit: number): Promise<AlertRef[]> =>
      query(sql, LIST_WITHOUT_WORKFLOW, { now, seconds: olderThanMs / 1000, limit }),

    /** Plans the next steps after a change of the policy, and ends escalations that began until it was last disabled. */
    async planNext(
      { organizationId, policyId }: PolicyRef,
      { steps, repeatMinutes, disabledAt }: Pick<EscalationPolicy, 'steps' | 'repeatMinutes' | 'disabledAt'>,
      chunk: Chunk,
    ): Promise<FollowedChunk> {
      const alertIds = await lockNext(organizationId, { policy_id: policyId }, chunk);
      const plan = { steps: JSON.stringify(steps), repeatMinutes, repeatsMax: REPEATS_MAX };
      const planned: Array<{ alert_id: string; is_affected: boolean }> = await all(organizationId)
        .whereIn('alert_id', alertIds)
        .update({
          next_step_at: sql.raw(NEXT_STEP_AT, plan),
          state: sql.raw(`case when began_at <= ?::timestamptz then 'policy_disabled' else state end`, [
            disabledAt,
          ]),
        })
        .returning(['alert_id', sql.raw(`${IS_AFFECTED} as is_affected`)]);
      const affected = planned.filter(({ is_affected }) => is_affected).map(({ alert_id }) => alert_id);
      return toFollowed(organizationId, alertIds, affected, chunk);
    },

    async endNext(
      { organizationId, policyId }: PolicyRef,
      state: 'policy_disabled' | 'policy_deleted',
      chunk: Chunk,
    ): Promise<FollowedChunk> {
      const alertIds = await lockNext(organizationId, { policy_id: policyId }, chunk);
      await all(organizationId).whereIn('alert_id', alertIds).update({ state });
      return toFollowed(organizationId, alertIds, alertIds, chunk);
    },

    /** Updates escalations that waited for the end of a mute that has ended earlier: steps that are due by now are made. */
    async unmuteNext(
      { organizationId, mutedUntil, now }: { organizationId: string; mutedUntil: Date; now: Date },
      chunk: Chunk,
    ): Promise<FollowedChunk> {
      const alertIds = await lockNext(organizationId, { muted_until: mutedUntil }, chunk);
      const locked = () => all(organizationId).whereIn('alert_id', alertIds);
      await locked().update({ muted_until: null });
      const due = await locked().whereRaw('greatest(next_step_at, held_until) <= ?', [now]).pluck('alert_id');
      return toFollowed(organizationId, alertIds, due, chunk);
    },

    /** Metric: over all organizations, up to 10,000. */
    async countOpen(now: Date): Promise<EscalationCounts> {
      const open = sql('alert_escalations').where({ state: 'open' }).limit(COUNTED_MAX).select(sql.raw('1'));
      const [oldest] = await acrossOrganizations(sql({ e: 'alert_escalations' }))
        .whereRaw(IS_DUE, { now })
        .orderByRaw(DUE_AT)
        .limit(1)
        .select(sql.raw(`extract(epoch from ?::timestamptz - ${DUE_AT})::float8 as seconds`, [now]));
      return {
        open: await countRows(acrossOrganizations(sql.from(open.as('open')))),
        overdueSeconds: oldest?.seconds ?? 0,
      };
    },
  };
}
