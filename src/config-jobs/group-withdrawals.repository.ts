/** What changes of large groups have left to withdraw. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { GroupRef } from './config-job.ts';

export interface GroupWithdrawal extends GroupRef {
  id: string;
  lastJobId: string;
  reason: string;
  isDeletion: boolean;
  /** Null: before the first member. */
  afterAssetId: string | null;
}

const COLUMNS = `organization_id as "organizationId", id, group_id as "groupId", last_job_id as "lastJobId", reason,
  is_deletion as "isDeletion", after_asset_id as "afterAssetId"`;
const ONE = 'organization_id = ? and id = ?';
const NO_JOB = '00000000-0000-0000-0000-000000000000';
const LISTED_MAX = 100;

export type GroupWithdrawalsRepository = ReturnType<typeof createGroupWithdrawalsRepository>;

export function createGroupWithdrawalsRepository(sql: Sql) {
  return {
    /** The caller has locked the group, so no job for its profile is under way. */
    async insert(
      { organizationId, groupId }: GroupRef,
      { reason, isDeletion }: { reason: string; isDeletion: boolean },
    ): Promise<void> {
      const [job] = await query<{ id: string }>(
        sql,
        'select id from config_jobs where organization_id = ? order by id desc limit 1',
        [organizationId],
      );
      await query(
        sql,
        `insert into group_withdrawals (organization_id, group_id, last_job_id, reason, is_deletion)
         values (?, ?, ?, ?, ?)`,
        [organizationId, groupId, job?.id ?? NO_JOB, reason, isDeletion],
      );
    },

    /** The earliest first. */
    listOf(organizationId: string): Promise<GroupWithdrawal[]> {
      return query(sql, `select ${COLUMNS} from group_withdrawals where organization_id = ? order by id`, [
        organizationId,
      ]);
    },

    /** Of all organizations. */
    list(): Promise<Array<Pick<GroupWithdrawal, 'organizationId' | 'id'>>> {
      return query(
        sql,
        `select organization_id as "organizationId", id from group_withdrawals order by id limit ${LISTED_MAX}`,
      );
    },

    /** Null when it is done, or another process works on it. */
    async lockFree({
      organizationId,
      id,
    }: Pick<GroupWithdrawal, 'organizationId' | 'id'>): Promise<GroupWithdrawal | null> {
      const [row] = await query<GroupWithdrawal>(
        sql,
        `select ${COLUMNS} from group_withdrawals where ${ONE} for update skip locked`,
        [organizationId, id],
      );
      return row ?? null;
    },

    async goOnAfter({ organizationId, id }: GroupWithdrawal, assetId: string): Promise<void> {
      await query(sql, `update group_withdrawals set after_asset_id = ? where ${ONE}`, [
        assetId,
        organizationId,
        id,
      ]);
    },

    async remove({ organizationId, id }: GroupWithdrawal): Promise<void> {
      await query(sql, `delete from group_withdrawals where ${ONE}`, [organizationId, id]);
    },
  };
}
