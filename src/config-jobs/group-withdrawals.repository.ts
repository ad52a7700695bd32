/** Pending withdrawals of large groups. */
import { acrossOrganizations, toJson } from '../db/builder.ts';
import type { Columns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { Actor } from '../db/transaction.ts';
import { FIRST_ID } from '../process/uuid.ts';
import type { GroupRef, WithdrawalRef, WithdrawalTitle } from './config-job.ts';

export interface GroupWithdrawal extends GroupRef, WithdrawalRef {
  lastJobId: string;
  reason: string;
  isDeletion: boolean;
  /** Null: no member is done yet. */
  afterAssetId: string | null;
}

interface GroupWithdrawalRow extends Columns<Omit<GroupWithdrawal, 'withdrawalId'>> {
  id: string;
  workflow_checked_at: Date | null;
  created_by: Actor | null;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    group_withdrawals: GroupWithdrawalRow;
  }
}

const toWithdrawal = (row: GroupWithdrawalRow): GroupWithdrawal => ({
  organizationId: row.organization_id,
  withdrawalId: row.id,
  groupId: row.group_id,
  lastJobId: row.last_job_id,
  reason: row.reason,
  isDeletion: row.is_deletion,
  afterAssetId: row.after_asset_id,
});

const CHECKED_AT = `coalesce(workflow_checked_at, '-infinity')`;

export type GroupWithdrawalsRepository = ReturnType<typeof createGroupWithdrawalsRepository>;

export function createGroupWithdrawalsRepository(sql: Database) {
  const one = ({ organizationId, withdrawalId }: WithdrawalRef) =>
    sql('group_withdrawals').where({ organization_id: organizationId, id: withdrawalId });

  return {
    /** The caller has locked the group, so no job for its profile is under way. */
    async insert(
      { organizationId, groupId }: GroupRef,
      {
        reason,
        isDeletion,
        createdBy,
      }: Pick<GroupWithdrawal, 'reason' | 'isDeletion'> & { createdBy: Actor | null },
    ): Promise<void> {
      const last = await sql('config_jobs')
        .where({ organization_id: organizationId })
        .orderBy('id', 'desc')
        .first('id');
      await sql('group_withdrawals').insert({
        organization_id: organizationId,
        group_id: groupId,
        last_job_id: last?.id ?? FIRST_ID,
        reason,
        is_deletion: isDeletion,
        created_by: toJson(createdBy),
      });
    },

    /** Null when the withdrawal is done. */
    async findTitle({ organizationId, withdrawalId }: WithdrawalRef): Promise<WithdrawalTitle | null> {
      const title = await sql({ w: 'group_withdrawals' })
        .join({ g: 'groups' }, { 'g.organization_id': 'w.organization_id', 'g.id': 'w.group_id' })
        .join({ o: 'organizations' }, 'o.id', 'w.organization_id')
        .where({ 'w.organization_id': organizationId, 'w.id': withdrawalId })
        .select({ groupName: 'g.name', organizationName: 'o.name' })
        .select({ createdBy: sql.raw(`w.created_by ->> 'name'`) })
        .first();
      return title ?? null;
    },

    /** The earliest first. */
    async listOf(organizationId: string): Promise<GroupWithdrawal[]> {
      const rows = await sql('group_withdrawals').where({ organization_id: organizationId }).orderBy('id');
      return rows.map(toWithdrawal);
    },

    /** Withdrawals whose run has made no step for this long, and was not looked for. Covers all organizations. */
    listWithoutWorkflow: (olderThanMs: number, limit: number): Promise<WithdrawalRef[]> =>
      acrossOrganizations(sql('group_withdrawals'))
        .whereRaw(`${CHECKED_AT} < now() - make_interval(secs => ?)`, [olderThanMs / 1000])
        .orderByRaw(CHECKED_AT)
        .limit(limit)
        .select({ organizationId: 'organization_id', withdrawalId: 'id' }),

    async touchWorkflow(ref: WithdrawalRef): Promise<void> {
      await one(ref).update({ workflow_checked_at: sql.fn.now() });
    },

    /** Locks the withdrawal. Null when it is done. */
    async lock(ref: WithdrawalRef): Promise<GroupWithdrawal | null> {
      const row = await one(ref).first().forUpdate();
      return row ? toWithdrawal(row) : null;
    },

    async saveCursor(withdrawal: GroupWithdrawal, assetId: string): Promise<void> {
      await one(withdrawal).update({ after_asset_id: assetId, workflow_checked_at: sql.fn.now() });
    },

    async remove(withdrawal: GroupWithdrawal): Promise<void> {
      await one(withdrawal).delete();
    },
  };
}
