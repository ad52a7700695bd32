import { ENDED_AT } from '../alerts/alert-columns.ts';
import type { Database } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import type { Layout } from '../devices/channel-layout.ts';
import type { Span } from '../devices/settings.ts';

/** The measuring place of a record, with its current names. */
export interface RecordedAsset extends Layout {
  organizationName: string;
  name: string;
  serialNumber: string;
  buildingId: string | null;
  spaceId: string | null;
  floor: number | null;
  registeredAt: Date;
  /** Null: not archived. */
  archivedAt: Date | null;
  /** Channels with a reading, whenever it was. */
  measuredChannels: number[];
  /** Earlier loggers of the place, the earliest first. */
  replacements: Array<{ serialNumber: string; replacedAt: Date }>;
}

/** Unix milliseconds. */
export interface RecordedAlert extends Span {
  channel: number;
}

interface Row extends Omit<RecordedAsset, 'replacements'> {
  earlierSerials: string[];
  replacedAt: Date[];
}

interface AlertRow {
  channel: number;
  from: Date;
  to: Date | null;
}

const ALERT = `(details ->> 'channel')::integer as channel, started_at as "from", ${ENDED_AT} as "to"`;
/** A curve shows at most this many. */
const ALERTS_MAX = 500;

export type RecordRepository = ReturnType<typeof createRecordRepository>;

export function createRecordRepository(sql: Database) {
  return {
    /** Includes archived assets. */
    async find(organizationId: string, assetId: string): Promise<RecordedAsset | null> {
      const [row] = await queryPrepared<Row>(
        sql,
        'record_find',
        `select o.name as "organizationName", a.name, a.serial_number as "serialNumber",
           a.building_id as "buildingId", a.space_id as "spaceId", a.floor, a.created_at as "registeredAt",
           a.archived_at as "archivedAt", a.model,
           coalesce(d.reported_channel_types, s.observed_channel_types) as "channelTypes",
           array(select (each ->> 0)::integer from json_array_elements(s.latest) as each) as "measuredChannels",
           array(
             select serial_number from asset_replacements
             where organization_id = a.organization_id and asset_id = a.id order by id
           ) as "earlierSerials",
           array(
             select replaced_at from asset_replacements
             where organization_id = a.organization_id and asset_id = a.id order by id
           ) as "replacedAt"
         from assets a
         join organizations o on o.id = a.organization_id
         join device_states s on s.organization_id = a.organization_id and s.asset_id = a.id
         join device_configs d on d.organization_id = a.organization_id and d.asset_id = a.id
         where a.organization_id = ? and a.id = ?`,
        [organizationId, assetId],
      );
      if (!row) return null;
      const { earlierSerials, replacedAt, ...asset } = row;
      const replacements = earlierSerials.map((serialNumber, index) => ({
        serialNumber,
        replacedAt: replacedAt[index] as Date,
      }));
      return { ...asset, replacements };
    },

    /**
     * The newest temperature alerts that were open within the span; one that is still open ends with the
     * span.
     */
    async listAlerts(organizationId: string, assetId: string, span: Span): Promise<RecordedAlert[]> {
      const rows = await sql('alerts')
        .where({ organization_id: organizationId, asset_id: assetId })
        .whereIn('type', ['high_temp', 'low_temp'])
        .where('started_at', '<', new Date(span.to))
        .whereRaw(`(status <> 'resolved' or ${ENDED_AT} > ?)`, [new Date(span.from)])
        .orderBy('id', 'desc')
        .limit(ALERTS_MAX)
        .select<AlertRow[]>(sql.raw(ALERT));
      return rows.map((row) => ({
        channel: row.channel,
        from: Math.max(span.from, row.from.getTime()),
        to: Math.min(span.to, row.to?.getTime() ?? span.to),
      }));
    },
  };
}
