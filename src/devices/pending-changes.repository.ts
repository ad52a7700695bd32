/** Set-based reads and writes of what is pending, for changes that touch many devices in one transaction. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';

/** A device that a change is about, locked, with all that decides what the change becomes for it. */
export interface ChangingDevice {
  assetId: string;
  serialNumber: string;
  pendingConfigId: string | null;
  reportedConfigId: string | null;
  confirmedConfigId: string | null;
  model: string | null;
  channelTypes: number[] | null;
  ruleSlots: number;
}

/** What is pending for a device from now on; null withdraws all. */
export interface PendingAssignment {
  assetId: string;
  configId: string | null;
}

/** Rows and locks always come in one order (asset id), so that changes and reports never deadlock. */
const LOCKED = `select d.asset_id as "assetId", a.serial_number as "serialNumber",
    d.pending_config_id as "pendingConfigId", d.reported_config_id as "reportedConfigId",
    d.confirmed_config_id as "confirmedConfigId", a.model, d.reported_channel_types as "channelTypes", d.rule_slots as "ruleSlots"
  from device_configs d join assets a on a.id = d.asset_id`;
const IN_ORDER = 'order by d.asset_id for no key update of d';

export type PendingChangesRepository = ReturnType<typeof createPendingChangesRepository>;

export function createPendingChangesRepository(sql: Sql) {
  return {
    lockAllActive(organizationId: string): Promise<ChangingDevice[]> {
      return query(
        sql,
        `${LOCKED} where a.organization_id = ? and a.archived_at is null and d.is_active ${IN_ORDER}`,
        [organizationId],
      );
    },

    /** Active devices among the serials (compared without case). */
    lockSerials(organizationId: string, serialNumbers: string[]): Promise<ChangingDevice[]> {
      return query(
        sql,
        `${LOCKED} where a.organization_id = ? and a.archived_at is null and d.is_active
           and lower(a.serial_number) = any(?::text[]) ${IN_ORDER}`,
        [organizationId, serialNumbers.map((serial) => serial.toLowerCase())],
      );
    },

    lockAssets(organizationId: string, assetIds: string[]): Promise<ChangingDevice[]> {
      return query(
        sql,
        `${LOCKED} where d.organization_id = ? and d.asset_id = any(?::uuid[]) and d.is_active ${IN_ORDER}`,
        [organizationId, assetIds],
      );
    },

    /** Every device gets a new revision that it has to fetch; without anything pending the revision stays. */
    async assign(assignments: PendingAssignment[]): Promise<void> {
      if (assignments.length === 0) return;
      const configIds = [...new Set(assignments.map(({ configId }) => configId))];
      const position = new Map(configIds.map((id, index) => [id, index + 1]));
      await query(
        sql,
        `update device_configs d set
           pending_config_id = c.id, fetched_at = null, contradiction_count = 0, failure_reason = null,
           revision = case when c.id is null then revision else revision + 1 end
         from unnest(?::uuid[], ?::integer[]) as n (asset_id, position)
         join unnest(?::uuid[]) with ordinality as c (id, position) on c.position = n.position
         where d.asset_id = n.asset_id`,
        [
          assignments.map(({ assetId }) => assetId),
          assignments.map(({ configId }) => position.get(configId)),
          configIds,
        ],
      );
    },
  };
}
