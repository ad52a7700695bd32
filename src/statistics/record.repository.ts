import type { Knex } from 'knex';
import type { Alert } from '../alerts/alert.ts';
import { ENDED_AT } from '../alerts/alert-columns.ts';
import type { AlertAction, StoredAction } from '../alerts/alert-history.ts';
import type { Asset, Replacement } from '../assets/asset.ts';
import { countRows, oneOf } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import type { Layout } from '../devices/device-capabilities.ts';
import type { Span } from '../devices/settings.ts';

/** The measuring place of a record, with its current names. */
export interface RecordedAsset
  extends Layout,
    Pick<Asset, 'name' | 'serialNumber' | 'buildingId' | 'spaceId' | 'floor'> {
  organizationName: string;
  registeredAt: Date;
  /** Null: not archived. */
  archivedAt: Date | null;
  /** Channels with a reading, whenever it was. */
  measuredChannels: number[];
  /** Earlier loggers of the place, the earliest first. */
  replacements: Replacement[];
}

/** With the part of it that is within the span, in Unix milliseconds. */
export interface RecordedAlert
  extends Span,
    Pick<Alert, 'id' | 'type' | 'severity' | 'details' | 'startedAt' | 'endedAt' | 'extreme' | 'late'> {}

export interface ListedAlert extends RecordedAlert {
  /** Acknowledgements and comments, oldest first. */
  actions: AlertAction[];
}

export interface RecordedAlerts {
  /** Those of curves, newest first. */
  alerts: RecordedAlert[];
  /** The newest ones of them. */
  listed: ListedAlert[];
  /** Number of all alerts, also of those that curves lack. */
  alertCount: number;
  /** Number of earlier comments on the listed ones. */
  furtherComments: number;
}

type AlertRow = Omit<RecordedAlert, keyof Span>;
type ActionRow = AlertAction & { alertId: string };

const MEASURED_CHANNELS = 'array(select (each ->> 0)::integer from json_array_elements(s.latest) as each)';
const ALERT = `id, type, severity, details, started_at as "startedAt", ${ENDED_AT} as "endedAt", extreme, late`;
const ACTION = 'alert_id as "alertId", uuid_extract_timestamp(id) as at, action, actor as "by", comment';
/** A curve shows at most this many. */
const ALERTS_MAX = 500;
const LISTED_MAX = 40;
/** Of all alerts together. */
const COMMENTS_MAX = 200;
const COMMENTS_CHARACTERS_MAX = 20_000;

export type RecordRepository = ReturnType<typeof createRecordRepository>;

export function createRecordRepository(sql: Database) {
  /** All acknowledgements and the newest comments, each oldest first. */
  async function listActions(organizationId: string, alertIds: readonly string[]) {
    const actions = (action: StoredAction) =>
      sql('alert_actions')
        .where({ organization_id: organizationId, action })
        .where(oneOf('alert_id', alertIds));
    const acknowledged: ActionRow[] = await actions('acknowledged').orderBy('id').select(sql.raw(ACTION));
    const comments: Array<ActionRow & { count: number }> = await actions('commented')
      .orderBy('id', 'desc')
      .limit(COMMENTS_MAX)
      .select(sql.raw(`${ACTION}, count(*) over ()`));
    let characters = 0;
    const listed = comments.filter(({ comment }) => {
      characters += comment?.length ?? 0;
      return characters <= COMMENTS_CHARACTERS_MAX;
    });
    const furtherComments = (comments[0]?.count ?? 0) - listed.length;
    return { actions: [...acknowledged, ...listed.toReversed()], furtherComments };
  }

  return {
    /** Includes archived assets. */
    async find(organizationId: string, assetId: string): Promise<RecordedAsset | null> {
      const assets: Knex.QueryBuilder = sql({ a: 'assets' });
      const asset = await assets
        .join({ o: 'organizations' }, { 'o.id': 'a.organization_id' })
        .join({ s: 'device_states' }, { 's.organization_id': 'a.organization_id', 's.asset_id': 'a.id' })
        .join({ d: 'device_configs' }, { 'd.organization_id': 'a.organization_id', 'd.asset_id': 'a.id' })
        .where({ 'a.organization_id': organizationId, 'a.id': assetId })
        .first({
          organizationName: 'o.name',
          name: 'a.name',
          serialNumber: 'a.serial_number',
          buildingId: 'a.building_id',
          spaceId: 'a.space_id',
          floor: 'a.floor',
          registeredAt: 'a.created_at',
          archivedAt: 'a.archived_at',
          model: 'a.model',
          channelTypes: sql.raw('coalesce(d.reported_channel_types, s.observed_channel_types)'),
          measuredChannels: sql.raw(MEASURED_CHANNELS),
        });
      if (!asset) return null;
      const replacements: Replacement[] = await sql('asset_replacements')
        .where({ organization_id: organizationId, asset_id: assetId })
        .orderBy('id')
        .select({ serialNumber: 'serial_number', replacedAt: 'replaced_at' });
      return { ...asset, replacements };
    },

    /** The newest alerts that were open within the span; one that is still open ends with the span. */
    async listAlerts(organizationId: string, assetId: string, span: Span): Promise<RecordedAlerts> {
      const within = () =>
        sql('alerts')
          .where({ organization_id: organizationId, asset_id: assetId })
          .where('started_at', '<', new Date(span.to))
          .whereRaw(`(status <> 'resolved' or ${ENDED_AT} > ?)`, [new Date(span.from)]);
      const rows = await within().orderBy('id', 'desc').limit(ALERTS_MAX).select<AlertRow[]>(sql.raw(ALERT));
      const alerts = rows.map((row) => ({
        ...row,
        from: Math.max(span.from, row.startedAt.getTime()),
        to: Math.min(span.to, row.endedAt?.getTime() ?? span.to),
      }));
      const newest = alerts.slice(0, LISTED_MAX);
      const { actions, furtherComments } = await listActions(
        organizationId,
        newest.map(({ id }) => id),
      );
      const listed = newest.map((alert) => ({
        ...alert,
        actions: actions
          .filter(({ alertId }) => alertId === alert.id)
          .toSorted((a, b) => a.at.getTime() - b.at.getTime()),
      }));
      const alertCount = rows.length < ALERTS_MAX ? rows.length : await countRows(within());
      return { alerts, listed, alertCount, furtherComments };
    },
  };
}
