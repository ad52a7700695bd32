/** The targets that devices have for the profile of their group. Writers have locked the rows of the devices. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { GroupRef, TargetState } from './config-job.ts';
import { OPEN } from './config-targets.statements.ts';
import type { ActiveChange } from './device-targets.repository.ts';

/** The targets that jobs have made for the profile of a group. */
export interface GroupTargetsRef extends GroupRef {
  /** Those of later jobs do not count; null: all do. */
  lastJobId: string | null;
}

export interface GroupTarget extends ActiveChange {
  state: TargetState;
}

const OF_MEMBERS = `organization_id = ? and asset_id = any(?::uuid[]) and is_active and group_id = ?
  and (?::uuid is null or job_id <= ?)`;

export type GroupTargetsRepository = ReturnType<typeof createGroupTargetsRepository>;

export function createGroupTargetsRepository(sql: Sql) {
  return {
    /** Those whose change the device may still come to run, the earliest job first. */
    listActive(
      { organizationId, groupId, lastJobId }: GroupTargetsRef,
      assetIds: string[],
    ): Promise<GroupTarget[]> {
      return query(
        sql,
        `select asset_id as "assetId", change_config_id as "changeId", lost_keys as "lostKeys", state
         from config_targets
         where ${OF_MEMBERS} order by asset_id, job_id`,
        [organizationId, assetIds, groupId, lastJobId, lastJobId],
      );
    },

    /** Cancels those that are open. Answers with the ids of the jobs concerned. */
    async end(
      { organizationId, groupId, lastJobId }: GroupTargetsRef,
      assetIds: string[],
      reason: string,
    ): Promise<string[]> {
      const rows = await query<{ jobId: string }>(
        sql,
        `update config_targets set
           state = case when ${OPEN} then 'cancelled' else state end,
           reason = case when ${OPEN} then ? else reason end,
           is_active = false, updated_at = now()
         where ${OF_MEMBERS} returning job_id as "jobId"`,
        [reason, organizationId, assetIds, groupId, lastJobId, lastJobId],
      );
      return [...new Set(rows.map(({ jobId }) => jobId))];
    },
  };
}
