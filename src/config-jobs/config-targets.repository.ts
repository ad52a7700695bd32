/** The targets of a job: its devices, and how far each of them is. Writers have locked the rows of the devices. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { JobRef, JobTarget, TargetState } from './config-job.ts';

export interface NewTarget {
  assetId: string;
  changeId: string;
  stage: number;
  state: 'queued' | 'waiting';
}

/** A target and the id of the configuration that holds its change. */
export interface TargetChange {
  assetId: string;
  changeId: string;
}

const CHANGE = 'asset_id as "assetId", change_config_id as "changeId"';
const OF_JOB = 'organization_id = ? and job_id = ?';
export const OPEN = `state in ('queued', 'waiting', 'sent')`;

export type ConfigTargetsRepository = ReturnType<typeof createConfigTargetsRepository>;

export function createConfigTargetsRepository(sql: Sql) {
  return {
    async insert({ organizationId, jobId }: JobRef, targets: NewTarget[]): Promise<void> {
      await query(
        sql,
        `insert into config_targets (organization_id, job_id, asset_id, stage, change_config_id, state)
         select ?, ?, n.asset_id, n.stage, n.change_id, n.state
         from unnest(?::uuid[], ?::uuid[], ?::smallint[], ?::text[]) as n (asset_id, change_id, stage, state)`,
        [
          organizationId,
          jobId,
          targets.map(({ assetId }) => assetId),
          targets.map(({ changeId }) => changeId),
          targets.map(({ stage }) => stage),
          targets.map(({ state }) => state),
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
           and (?::uuid is null or t.asset_id < ?)
         order by t.asset_id desc limit ?`,
        [organizationId, jobId, page.state, page.state, page.before, page.before, page.limit],
      );
    },

    listOpen({ organizationId, jobId }: JobRef): Promise<Array<TargetChange & { state: TargetState }>> {
      return query(
        sql,
        `select ${CHANGE}, state from config_targets where ${OF_JOB} and ${OPEN} order by asset_id`,
        [organizationId, jobId],
      );
    },

    listQueued({ organizationId, jobId }: JobRef, stage: number): Promise<TargetChange[]> {
      return query(
        sql,
        `select ${CHANGE} from config_targets
         where ${OF_JOB} and stage = ? and state = 'queued' order by asset_id`,
        [organizationId, jobId, stage],
      );
    },

    /** Failed and timed-out targets whose device has not confirmed the change since. */
    listRetryable({ organizationId, jobId }: JobRef): Promise<TargetChange[]> {
      return query(
        sql,
        `select ${CHANGE} from config_targets
         where ${OF_JOB} and state in ('failed', 'timed_out') and confirmed_at is null order by asset_id`,
        [organizationId, jobId],
      );
    },

    async begin({ organizationId, jobId }: JobRef, assetIds: string[]): Promise<void> {
      await query(
        sql,
        `update config_targets set state = 'waiting', updated_at = now()
         where ${OF_JOB} and state = 'queued' and asset_id = any(?::uuid[])`,
        [organizationId, jobId, assetIds],
      );
    },

    async cancelByJob({ organizationId, jobId }: JobRef, reason: string): Promise<void> {
      await query(
        sql,
        `update config_targets set state = 'cancelled', reason = ?, is_active = false, updated_at = now()
         where ${OF_JOB} and ${OPEN}`,
        [reason, organizationId, jobId],
      );
    },

    /** The change stays pending where it was offered; a queued target never was, so nothing of it stays active. */
    async timeOut({ organizationId, jobId }: JobRef): Promise<void> {
      await query(
        sql,
        `update config_targets set
           state = 'timed_out', is_active = state <> 'queued', updated_at = now(),
           reason = case when state = 'queued' then 'the deadline passed before its stage began'
             else 'the device did not confirm the change before the deadline' end
         where ${OF_JOB} and ${OPEN}`,
        [organizationId, jobId],
      );
    },
  };
}
