/** The targets of a job: its devices, and how far each of them is. Writers have locked the rows of the devices. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { ConfigurationKey } from '../devices/configuration.ts';
import type { JobRef, JobTarget, TargetState } from './config-job.ts';

export interface NewTarget {
  assetId: string;
  changeId: string;
  /** The group for whose profile the device has the change. */
  groupId?: string | null;
  stage: number;
  state: 'queued' | 'waiting';
}

/** A target and the id of the configuration that holds its change. */
export interface TargetChange {
  assetId: string;
  changeId: string;
}

export interface EndingTarget extends TargetChange {
  state: TargetState;
  lostKeys: ConfigurationKey[] | null;
}

/** Which targets end with a job: those that are open, or also those of which something is pending still. */
export type EndingScope = 'open' | 'not refused' | 'all';

export interface RetryableTarget extends TargetChange {
  groupId: string | null;
}

export interface AwaitedTarget {
  serialNumber: string;
  /** Deadline of the device's next contact; null: none. */
  expectedBy: Date | null;
}

/** Targets by asset id. */
export interface TargetPage {
  after: string | null;
  limit: number;
}

const AWAITED_READ_MAX = 1_000;
const CHANGE = 'asset_id as "assetId", change_config_id as "changeId"';
const OF_JOB = 'organization_id = ? and job_id = ?';
/** Of `config_targets t`. */
const RETRYABLE = `state in ('failed', 'timed_out') and (confirmed_at is null or lost_keys is not null) and (group_id is null or group_id = (
    select group_id from assets a where a.organization_id = t.organization_id and a.id = t.asset_id
  ))`;
export const OPEN = `state in ('queued', 'waiting', 'sent')`;
/** Beside those that are open. */
const ENDING: Record<EndingScope, TargetState[]> = {
  open: [],
  'not refused': ['timed_out', 'superseded'],
  all: ['timed_out', 'superseded', 'failed'],
};
const IS_ENDING = `(${OPEN} or is_active and state = any(?::text[]))`;
/** By these an index finds the targets of a state, which may be few of a large job. */
const UNSETTLED: readonly TargetState[] = ['waiting', 'sent'];
const WITH_REASON: readonly TargetState[] = ['failed', 'timed_out', 'cancelled', 'superseded'];
const isOneOf = (states: readonly TargetState[], state: TargetState | null) =>
  state !== null && states.includes(state);

export type ConfigTargetsRepository = ReturnType<typeof createConfigTargetsRepository>;

export function createConfigTargetsRepository(sql: Sql) {
  return {
    async insert(
      { organizationId, jobId }: JobRef,
      targets: NewTarget[],
      { isActive = true } = {},
    ): Promise<void> {
      await query(
        sql,
        `insert into config_targets
           (organization_id, job_id, asset_id, stage, change_config_id, state, group_id, is_active)
         select ?, ?, n.asset_id, n.stage, n.change_id, n.state, n.group_id, ?
         from unnest(?::uuid[], ?::uuid[], ?::smallint[], ?::text[], ?::uuid[])
           as n (asset_id, change_id, stage, state, group_id)`,
        [
          organizationId,
          jobId,
          isActive,
          targets.map(({ assetId }) => assetId),
          targets.map(({ changeId }) => changeId),
          targets.map(({ stage }) => stage),
          targets.map(({ state }) => state),
          targets.map(({ groupId }) => groupId ?? null),
        ],
      );
    },

    async list(
      { organizationId, jobId }: JobRef,
      page: { state: TargetState | null; before: string | null; limit: number },
    ): Promise<JobTarget[]> {
      return query<JobTarget>(
        sql,
        `select t.asset_id as "assetId", a.serial_number as "serialNumber", t.state, t.reason,
           t.updated_at as "updatedAt"
         from config_targets t join assets a on a.organization_id = t.organization_id and a.id = t.asset_id
         where t.organization_id = ? and t.job_id = ? and (?::text is null or t.state = ?)
           ${isOneOf(UNSETTLED, page.state) ? 'and t.is_active' : ''}
           ${isOneOf(WITH_REASON, page.state) ? 'and t.reason is not null' : ''}
           and (?::uuid is null or t.asset_id < ?)
         order by t.asset_id desc limit ?`,
        [organizationId, jobId, page.state, page.state, page.before, page.before, page.limit],
      );
    },

    /**
     * Devices that have yet to fetch or confirm the change, the most overdue first. Reads a bounded number of unsettled
     * targets, so in a job that waits for very many devices it finds some of them.
     */
    listAwaited({ organizationId, jobId }: JobRef, limit: number): Promise<AwaitedTarget[]> {
      return query(
        sql,
        `select a.serial_number as "serialNumber", w.expected_by as "expectedBy"
         from (
           select t.organization_id, t.asset_id, s.expected_by
           from (
             select organization_id, job_id, asset_id, state from config_targets
             where ${OF_JOB} and is_active order by asset_id limit ${AWAITED_READ_MAX}
           ) t
           left join lateral (
             select expected_by from device_states
             where organization_id = t.organization_id and asset_id = t.asset_id limit 1
           ) s on true
           where t.state in ('waiting', 'sent')
           order by s.expected_by nulls last, t.asset_id limit ?
         ) w
         cross join lateral (
           select serial_number from assets where organization_id = w.organization_id and id = w.asset_id limit 1
         ) a
         order by w.expected_by nulls last, w.asset_id`,
        [organizationId, jobId, limit],
      );
    },

    /** Targets that end with the job. */
    listEnding(
      { organizationId, jobId }: JobRef,
      scope: EndingScope,
      { after, limit }: TargetPage,
    ): Promise<EndingTarget[]> {
      return query(
        sql,
        `select ${CHANGE}, state, lost_keys as "lostKeys" from config_targets
         where ${OF_JOB} and ${IS_ENDING} and (?::uuid is null or asset_id > ?)
         order by asset_id limit ?`,
        [organizationId, jobId, ENDING[scope], after, after, limit],
      );
    },

    listQueued(
      { organizationId, jobId }: JobRef,
      stage: number,
      { after, limit }: TargetPage,
    ): Promise<TargetChange[]> {
      return query(
        sql,
        `select ${CHANGE} from config_targets
         where ${OF_JOB} and stage = ? and state = 'queued' and (?::uuid is null or asset_id > ?)
         order by asset_id limit ?`,
        [organizationId, jobId, stage, after, after, limit],
      );
    },

    /**
     * Failed and timed-out targets whose device has not confirmed the change since, and is still in the group for whose
     * profile it had the change.
     */
    listRetryable({ organizationId, jobId }: JobRef): Promise<RetryableTarget[]> {
      return query(
        sql,
        `select ${CHANGE}, group_id as "groupId" from config_targets t
         where ${OF_JOB} and ${RETRYABLE} order by asset_id`,
        [organizationId, jobId],
      );
    },

    /** Queues what failed or timed out in another job, as `listRetryable` has it, and answers with how many that are. */
    async insertRetryable(
      { organizationId, jobId }: JobRef,
      retried: JobRef,
      stage: number,
    ): Promise<number> {
      const rows = await query<{ count: number }>(
        sql,
        `with queued as (
           insert into config_targets (organization_id, job_id, asset_id, stage, change_config_id, state, group_id)
           select organization_id, ?, asset_id, ?, change_config_id, 'queued', group_id from config_targets t
           where ${OF_JOB} and ${RETRYABLE}
           returning 1
         )
         select count(*) from queued`,
        [jobId, stage, organizationId, retried.jobId],
      );
      return rows[0]?.count ?? 0;
    },

    async countRetryable({ organizationId, jobId }: JobRef): Promise<number> {
      const rows = await query<{ count: number }>(
        sql,
        `select count(*) from config_targets t where ${OF_JOB} and ${RETRYABLE}`,
        [organizationId, jobId],
      );
      return rows[0]?.count ?? 0;
    },

    /** From the start of a scheduled job on. Answers with the last of the next queued targets, null when all are. */
    async activateNext(
      { organizationId, jobId }: JobRef,
      { after, limit }: TargetPage,
    ): Promise<string | null> {
      const [row] = await query<{ last: string }>(
        sql,
        `with page as materialized (
           select asset_id from config_targets
           where ${OF_JOB} and (?::uuid is null or asset_id > ?) order by asset_id limit ?
         ), activated as (
           update config_targets t set is_active = true from page
           where t.organization_id = ? and t.job_id = ? and t.asset_id = page.asset_id and t.state = 'queued'
         )
         select asset_id as last from page order by asset_id offset ?`,
        [organizationId, jobId, after, after, limit, organizationId, jobId, limit - 1],
      );
      return row?.last ?? null;
    },

    async begin({ organizationId, jobId }: JobRef, assetIds: string[]): Promise<void> {
      await query(
        sql,
        `update config_targets set state = 'waiting', updated_at = now()
         where ${OF_JOB} and state = 'queued' and asset_id = any(?::uuid[])`,
        [organizationId, jobId, assetIds],
      );
    },

    async cancelQueued({ organizationId, jobId }: JobRef, assetIds: string[], reason: string): Promise<void> {
      if (assetIds.length === 0) return;
      await query(
        sql,
        `update config_targets set state = 'cancelled', reason = ?, is_active = false, updated_at = now()
         where ${OF_JOB} and state = 'queued' and asset_id = any(?::uuid[])`,
        [reason, organizationId, jobId, assetIds],
      );
    },

    /** Cancels what is open of them; nothing of the others is pending from then on. */
    async cancel(
      { organizationId, jobId }: JobRef,
      scope: EndingScope,
      assetIds: string[],
      reason: string,
    ): Promise<void> {
      await query(
        sql,
        `update config_targets set
           state = case when ${OPEN} then 'cancelled' else state end,
           reason = case when ${OPEN} then ? else reason end,
           is_active = false, updated_at = now()
         where ${OF_JOB} and ${IS_ENDING} and asset_id = any(?::uuid[])`,
        [reason, organizationId, jobId, ENDING[scope], assetIds],
      );
    },

    /** The change stays pending where it was offered; a queued target never was, so nothing of it stays active. */
    async timeOut({ organizationId, jobId }: JobRef, assetIds: string[]): Promise<void> {
      await query(
        sql,
        `update config_targets set
           state = 'timed_out', is_active = state <> 'queued', updated_at = now(),
           reason = case when state = 'queued' then 'the deadline passed before its stage began'
             else 'the device did not confirm the change before the deadline' end
         where ${OF_JOB} and ${OPEN} and asset_id = any(?::uuid[])`,
        [organizationId, jobId, assetIds],
      );
    },
  };
}
