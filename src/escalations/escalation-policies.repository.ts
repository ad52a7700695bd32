import { countRows, lockName, newestFirst, nextUpdate, type Page, toJson } from '../db/builder.ts';
import type { Columns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { channelsOf, type EscalationPolicy, type PolicyFields, type PolicyRef } from './escalation-policy.ts';

interface PolicyRow extends Columns<EscalationPolicy> {
  organization_id: string;
  channel_ids: string[];
}

declare module 'knex/types/tables.js' {
  interface Tables {
    escalation_policies: PolicyRow;
  }
}

const toPolicy = (row: PolicyRow): EscalationPolicy => ({
  id: row.id,
  name: row.name,
  alertTypes: row.alert_types,
  severities: row.severities,
  groupIds: row.group_ids,
  steps: row.steps,
  repeatMinutes: row.repeat_minutes,
  status: row.status,
  disabledAt: row.disabled_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toColumns = (fields: PolicyFields) => ({
  name: fields.name,
  alert_types: fields.alertTypes,
  severities: fields.severities,
  group_ids: fields.groupIds,
  steps: toJson(fields.steps),
  channel_ids: channelsOf(fields.steps),
  repeat_minutes: fields.repeatMinutes,
  status: fields.status,
});

export type PoliciesRepository = ReturnType<typeof createPoliciesRepository>;

export function createPoliciesRepository(sql: Database) {
  const all = (organizationId: string) =>
    sql('escalation_policies').where({ organization_id: organizationId });
  const one = ({ organizationId, policyId }: PolicyRef) => all(organizationId).where({ id: policyId });

  return {
    /** Newest first. */
    async list(organizationId: string, page: Page): Promise<EscalationPolicy[]> {
      return (await all(organizationId).modify(newestFirst, page)).map(toPolicy);
    },

    async find(ref: PolicyRef): Promise<EscalationPolicy | null> {
      const row = await one(ref).first();
      return row ? toPolicy(row) : null;
    },

    async lock(ref: PolicyRef): Promise<EscalationPolicy | null> {
      const row = await one(ref).first().forNoKeyUpdate();
      return row ? toPolicy(row) : null;
    },

    /** Serializes additions of policies until the transaction ends. */
    lockAll: (organizationId: string): Promise<void> =>
      lockName(sql, `escalation policies:${organizationId}`),

    count: (organizationId: string): Promise<number> => countRows(all(organizationId)),

    async insert(organizationId: string, fields: PolicyFields): Promise<EscalationPolicy> {
      const [row] = await sql('escalation_policies')
        .insert({ organization_id: organizationId, ...toColumns(fields) })
        .returning('*');
      return toPolicy(row as PolicyRow);
    },

    async update(
      ref: PolicyRef,
      { disabledAt, ...fields }: PolicyFields & Pick<EscalationPolicy, 'disabledAt'>,
    ): Promise<EscalationPolicy> {
      const [row] = await one(ref)
        .update({ ...toColumns(fields), disabled_at: disabledAt, updated_at: nextUpdate(sql) })
        .returning('*');
      return toPolicy(row as PolicyRow);
    },

    async remove(ref: PolicyRef): Promise<boolean> {
      return (await one(ref).delete()) > 0;
    },

    /** Name of the oldest policy with the channel in a step; null: there is none. */
    async findNameByChannel(organizationId: string, channelId: string): Promise<string | null> {
      const row = await all(organizationId)
        .whereRaw('? = any(channel_ids)', [channelId])
        .orderBy('id')
        .first('name');
      return row?.name ?? null;
    },
  };
}
