/** Where each device of each job stands. Writers hold the rows of the devices concerned, so states never race. */
import type { Sql } from '../db/database.ts';
import { query, queryPrepared } from '../db/query.ts';
import type { ProfileSnapshot } from '../profiles/compile-profile.ts';
import type { TemperatureAlert } from '../profiles/profile.ts';
import type { JobTarget, TargetState } from './config-job.ts';

export interface NewTarget {
  assetId: string;
  changeId: string;
  stage: number;
  state: 'queued' | 'waiting';
}

/** A live change of another job on a device. */
export interface ActiveChange {
  assetId: string;
  changeId: string;
}

export interface Supersession {
  assetIds: string[];
  /** Per asset: the change that takes the place of others. */
  changeIds: string[];
  /** Pairs of a change that is there and a new one that gives one of its keys another value. */
  pairs: Array<{ old: string; fresh: string }>;
}

interface JobRow {
  jobId: string;
}

interface SettledRow extends JobRow {
  assetId: string;
  profileSlug: string;
  /** Whether this is what settled it: it may have failed or timed out before. */
  isNew: boolean;
}

const SETTLED = `t.job_id as "jobId", t.asset_id as "assetId",
  (select profile_slug from config_jobs where id = t.job_id) as "profileSlug"`;

const jobIdsOf = (rows: JobRow[]) => [...new Set(rows.map(({ jobId }) => jobId))];
const OPEN = `state in ('queued', 'waiting', 'sent')`;
const BEGUN = `state in ('waiting', 'sent')`;

const ALERTS_LOOKED_AT = 10;

export type ConfigTargetsRepository = ReturnType<typeof createConfigTargetsRepository>;

export function createConfigTargetsRepository(sql: Sql) {
  return {
    async insert(organizationId: string, jobId: string, targets: NewTarget[]): Promise<void> {
      await query(
        sql,
        `insert into config_targets (job_id, asset_id, organization_id, stage, change_config_id, state)
         select ?, n.asset_id, ?, n.stage, n.change_id, n.state
         from unnest(?::uuid[], ?::uuid[], ?::smallint[], ?::text[]) as n (asset_id, change_id, stage, state)`,
        [
          jobId,
          organizationId,
          targets.map(({ assetId }) => assetId),
          targets.map(({ changeId }) => changeId),
          targets.map(({ stage }) => stage),
          targets.map(({ state }) => state),
        ],
      );
    },

    async list(
      organizationId: string,
      jobId: string,
      page: { state: TargetState | null; before: string | null; limit: number },
    ): Promise<JobTarget[]> {
      return query<JobTarget>(
        sql,
        `select t.asset_id as "assetId", a.serial_number as "serialNumber", t.state, t.reason,
           t.updated_at as "updatedAt"
         from config_targets t join assets a on a.id = t.asset_id
         where t.organization_id = ? and t.job_id = ? and (?::text is null or t.state = ?)
           and (?::uuid is null or t.asset_id < ?)
         order by t.asset_id desc limit ?`,
        [organizationId, jobId, page.state, page.state, page.before, page.before, page.limit],
      );
    },

    listOpen(jobId: string): Promise<Array<{ assetId: string; changeId: string; state: TargetState }>> {
      return query(
        sql,
        `select asset_id as "assetId", change_config_id as "changeId", state
         from config_targets where job_id = ? and ${OPEN} order by asset_id`,
        [jobId],
      );
    },

    listQueued(jobId: string, stage: number): Promise<ActiveChange[]> {
      return query(
        sql,
        `select asset_id as "assetId", change_config_id as "changeId"
         from config_targets where job_id = ? and stage = ? and state = 'queued' order by asset_id`,
        [jobId, stage],
      );
    },

    /** Failed and timed-out ones that no device has confirmed since. */
    listRetryable(jobId: string): Promise<ActiveChange[]> {
      return query(
        sql,
        `select asset_id as "assetId", change_config_id as "changeId"
         from config_targets
         where job_id = ? and state in ('failed', 'timed_out') and confirmed_at is null order by asset_id`,
        [jobId],
      );
    },

    /** The distinct changes that other jobs still hold on these devices. */
    async listActiveChangeIds(exceptJobId: string, assetIds: string[]): Promise<string[]> {
      const rows = await query<{ changeId: string }>(
        sql,
        `select distinct change_config_id as "changeId" from config_targets
         where is_active and asset_id = any(?::uuid[]) and job_id <> ?`,
        [assetIds, exceptJobId],
      );
      return rows.map(({ changeId }) => changeId);
    },

    /** What other jobs have made pending on these devices and is still offered: also what has timed out. */
    listOffered(exceptJobId: string, assetIds: string[]): Promise<ActiveChange[]> {
      return query(
        sql,
        `select asset_id as "assetId", change_config_id as "changeId" from config_targets
         where is_active and state in ('waiting', 'sent', 'timed_out') and asset_id = any(?::uuid[]) and job_id <> ?`,
        [assetIds, exceptJobId],
      );
    },

    /** What these devices refused of other jobs, and nothing has replaced since. */
    listFailed(exceptJobId: string, assetIds: string[]): Promise<ActiveChange[]> {
      return query(
        sql,
        `select asset_id as "assetId", change_config_id as "changeId" from config_targets
         where is_active and state = 'failed' and asset_id = any(?::uuid[]) and job_id <> ?`,
        [assetIds, exceptJobId],
      );
    },

    /** What the jobs that hold changes on these devices were given, the earliest job first. */
    listActiveSnapshots(
      assetIds: string[],
    ): Promise<Array<{ jobId: string; assetId: string; parts: ProfileSnapshot; isOffered: boolean }>> {
      return query(
        sql,
        `select t.job_id as "jobId", t.asset_id as "assetId", j.profile_snapshot as parts,
           t.state in ('waiting', 'sent', 'timed_out') as "isOffered"
         from config_targets t join config_jobs j on j.id = t.job_id
         where t.is_active and t.asset_id = any(?::uuid[])
           and t.state in ('queued', 'waiting', 'sent', 'timed_out', 'failed')
         order by t.job_id`,
        [assetIds],
      );
    },

    /** The alerts that jobs have brought to each device, the last job first, as far back as rules may come from. */
    listAlerts(assetIds: string[]): Promise<Array<{ assetId: string; alerts: TemperatureAlert[] }>> {
      return query(
        sql,
        `select d.asset_id as "assetId", brought.alerts
         from unnest(?::uuid[]) as d (asset_id)
         cross join lateral (
           select t.job_id, j.profile_snapshot -> 'alerts' as alerts from config_targets t join config_jobs j on j.id = t.job_id
           where t.asset_id = d.asset_id and t.state <> 'queued' and j.profile_snapshot -> 'alerts' <> 'null'
           order by t.job_id desc limit ${ALERTS_LOOKED_AT}
         ) as brought
         order by brought.job_id desc`,
        [assetIds],
      );
    },

    async replaceChanges(changes: Array<ActiveChange & { jobId: string }>): Promise<void> {
      if (changes.length === 0) return;
      await query(
        sql,
        `update config_targets t set change_config_id = n.change_id
         from unnest(?::uuid[], ?::uuid[], ?::uuid[]) as n (job_id, asset_id, change_id)
         where t.job_id = n.job_id and t.asset_id = n.asset_id`,
        [
          changes.map(({ jobId }) => jobId),
          changes.map(({ assetId }) => assetId),
          changes.map(({ changeId }) => changeId),
        ],
      );
    },

    /** Failed changes that have left what is pending: a later confirmation says nothing of them. */
    async release(changes: ActiveChange[]): Promise<void> {
      if (changes.length === 0) return;
      await query(
        sql,
        `update config_targets t set is_active = false
         from unnest(?::uuid[], ?::uuid[]) as n (asset_id, change_id)
         where t.is_active and t.state = 'failed' and t.asset_id = n.asset_id and t.change_config_id = n.change_id`,
        [changes.map(({ assetId }) => assetId), changes.map(({ changeId }) => changeId)],
      );
    },

    /**
     * Other jobs' targets whose keys get other values: they wait no longer. Answers with the jobs concerned. What a
     * later job still has queued stays: when a stage of an earlier one begins, the later one's turn is yet to come.
     */
    async supersede(byJobId: string, { assetIds, changeIds, pairs }: Supersession): Promise<string[]> {
      if (pairs.length === 0) return [];
      const rows = await query<JobRow>(
        sql,
        `update config_targets t set
           state = case when t.${OPEN} then 'superseded' else t.state end,
           reason = case when t.${OPEN} then ? else t.reason end,
           is_active = false, updated_at = now()
         from unnest(?::uuid[], ?::uuid[]) as n (asset_id, change_id)
         join unnest(?::uuid[], ?::uuid[]) as p (old, fresh) on p.fresh = n.change_id
         where t.is_active and t.asset_id = n.asset_id and t.job_id <> ? and t.change_config_id = p.old
           and (t.state <> 'queued' or t.job_id < ?)
         returning t.job_id as "jobId"`,
        [
          `job ${byJobId} replaced the same settings`,
          assetIds,
          changeIds,
          pairs.map(({ old }) => old),
          pairs.map(({ fresh }) => fresh),
          byJobId,
          byJobId,
        ],
      );
      return jobIdsOf(rows);
    },

    /** A new revision has to be fetched anew: what was sent waits again. */
    async reopen(assetIds: string[]): Promise<void> {
      if (assetIds.length === 0) return;
      await queryPrepared(
        sql,
        'targets_reopen',
        `update config_targets set state = 'waiting', updated_at = now()
         where is_active and state = 'sent' and asset_id = any(?::uuid[])`,
        [assetIds],
      );
    },

    async markSent(assetIds: string[]): Promise<void> {
      if (assetIds.length === 0) return;
      await queryPrepared(
        sql,
        'targets_mark_sent',
        `update config_targets set state = 'sent', updated_at = now()
         where is_active and state = 'waiting' and asset_id = any(?::uuid[])`,
        [assetIds],
      );
    },

    /** The devices run what was pending: settles what waits, and notes it on what had failed or timed out before. */
    async confirm(assetIds: string[]): Promise<SettledRow[]> {
      if (assetIds.length === 0) return [];
      return queryPrepared(
        sql,
        'targets_confirm',
        `update config_targets t set
           state = case when ${BEGUN} then 'applied' else state end,
           is_active = false, confirmed_at = now(), updated_at = now()
         where is_active and state <> 'queued' and asset_id = any(?::uuid[])
         returning ${SETTLED}, t.state = 'applied' as "isNew"`,
        [assetIds],
      );
    },

    async fail(failures: Array<{ assetId: string; reason: string }>): Promise<SettledRow[]> {
      if (failures.length === 0) return [];
      return queryPrepared(
        sql,
        'targets_fail',
        `update config_targets t set state = 'failed', reason = n.reason, updated_at = now()
         from unnest(?::uuid[], ?::text[]) as n (asset_id, reason)
         where t.is_active and t.${BEGUN} and t.asset_id = n.asset_id
         returning ${SETTLED}, true as "isNew"`,
        [failures.map(({ assetId }) => assetId), failures.map(({ reason }) => reason)],
      );
    },

    async cancelByAsset(assetId: string, reason: string): Promise<string[]> {
      const rows = await query<JobRow>(
        sql,
        `update config_targets set
           state = case when ${OPEN} then 'cancelled' else state end,
           reason = case when ${OPEN} then ? else reason end,
           is_active = false, updated_at = now()
         where is_active and asset_id = ? returning job_id as "jobId"`,
        [reason, assetId],
      );
      return jobIdsOf(rows);
    },

    async cancelByJob(jobId: string, reason: string): Promise<void> {
      await query(
        sql,
        `update config_targets set state = 'cancelled', reason = ?, is_active = false, updated_at = now()
         where job_id = ? and ${OPEN}`,
        [reason, jobId],
      );
    },

    async begin(jobId: string, assetIds: string[]): Promise<void> {
      await query(
        sql,
        `update config_targets set state = 'waiting', updated_at = now()
         where job_id = ? and state = 'queued' and asset_id = any(?::uuid[])`,
        [jobId, assetIds],
      );
    },

    /** The change stays pending where it was merged; a target that never began leaves nothing behind. */
    async timeOut(jobId: string): Promise<void> {
      await query(
        sql,
        `update config_targets set
           state = 'timed_out', is_active = state <> 'queued', updated_at = now(),
           reason = case when state = 'queued' then 'the deadline passed before its stage began'
             else 'the device did not confirm the change before the deadline' end
         where job_id = ? and ${OPEN}`,
        [jobId],
      );
    },
  };
}
