/** States of devices and their readings, set-based: a statement per step, however many frames there are. */
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import type { Layout } from '../devices/channel-layout.ts';
import type { SyncState } from '../devices/device-sync.ts';
import type { SerialInOrganization } from '../devices/serial-number.ts';
import type { ClassifiedReading, Reading } from './reading.ts';
import type { DeviceState, MeasuringAsset } from './stored-frame.ts';

/** What is known of the configuration of a device when it speaks. */
export interface ConfigState {
  /** By the ids of its configurations. */
  sync: SyncState<string>;
  reportedHash: number | null;
  /** As earlier frames showed it; null when none has since the last report. */
  observedHash: number | null;
  /** What is where on the device, as those who compile for it know. */
  channelTypes: number[] | null;
  /** By its own report: frames tell nothing new. */
  areChannelsReported: boolean;
}

export interface LockedDevice {
  asset: MeasuringAsset;
  state: DeviceState;
  config: ConfigState;
}

/** Readings that one asset sent together. */
export interface ReadingBatch {
  organizationId: string;
  assetId: string;
  receivedAt: Date;
  readings: ClassifiedReading[];
  /** Readings of a later time are new for certain; null where none is. */
  latestMeasuredAt: Date | null;
}

export interface HistoryScope {
  assetId: string;
  layout: Layout;
}

export interface HistoryCursor {
  measuredAt: Date;
  channel: number;
}

export interface HistoryFilter {
  from: Date | null;
  to: Date | null;
  channel: number | null;
  /** Older than this one. */
  before: HistoryCursor | null;
  limit: number;
}

export interface HistoryReading extends Reading {
  receivedAt: Date;
  late: boolean;
}

interface StateRow extends DeviceState {
  assetId: string;
  organizationId: string;
  serialNumber: string;
  assetName: string;
  model: string | null;
  openAlerts: unknown[];
  subscribed: string[] | null;
}

interface ConfigRow extends Omit<ConfigState, 'sync'> {
  assetId: string;
  serialNumber: string;
  reportedConfigId: string | null;
  confirmedConfigId: string | null;
  pendingConfigId: string | null;
  revision: number;
  fetchedAt: Date | null;
  failure: string | null;
}

export type MeasurementsRepository = ReturnType<typeof createMeasurementsRepository>;

export function createMeasurementsRepository(sql: Sql) {
  /**
   * What may have changed between the look at the serial and the lock: new hardware may have come (see the devices'
   * repository), and other rules, whose alerts are ended under the same lock.
   */
  async function readConfigUnderLock(rows: StateRow[]): Promise<LockedDevice[]> {
    if (rows.length === 0) return [];
    const found = await queryPrepared<ConfigRow>(
      sql,
      'measurements_configured_now',
      `select a.id as "assetId", a.serial_number as "serialNumber", d.reported_config_id as "reportedConfigId",
         d.confirmed_config_id as "confirmedConfigId", d.reported_hash as "reportedHash",
         d.observed_hash as "observedHash", d.pending_config_id as "pendingConfigId", d.revision,
         d.fetched_at as "fetchedAt", d.failure_reason as failure,
         d.reported_channel_types as "channelTypes", d.channels_reported as "areChannelsReported"
       from unnest(?::uuid[]) as wanted (id)
       cross join lateral (
         select id, serial_number from assets where id = wanted.id and archived_at is null limit 1
       ) as a
       cross join lateral (select * from device_configs where asset_id = a.id and is_active limit 1) as d`,
      [rows.map(({ assetId }) => assetId)],
    );
    const configOf = new Map(found.map((config) => [config.assetId, config]));
    return rows.flatMap((row) => {
      const config = configOf.get(row.assetId);
      return config?.serialNumber === row.serialNumber ? [lockedDeviceOf(row, config)] : [];
    });
  }

  return {
    /**
     * Active devices by serial, their states locked in one order. The configuration beside them is read, not locked,
     * so that frames never wait for a job that changes many devices.
     */
    async lockBySerial(serials: SerialInOrganization[]): Promise<LockedDevice[]> {
      const organizationIds = serials.map(({ organizationId }) => organizationId);
      const rows = await queryPrepared<StateRow>(
        sql,
        'measurements_lock_by_serial',
        `with told as materialized (
           select w.organization_id, array_agg(distinct e.event) as events
           from endpoints w cross join lateral unnest(w.events) as e (event)
           where w.organization_id = any(?::uuid[]) and (w.status = 'active' or w.disabled_reason = 'failing')
           group by 1
         )
         select a.id as "assetId", a.organization_id as "organizationId", a.serial_number as "serialNumber",
           a.name as "assetName", a.model, s.status, s.signal_strength as "signalStrength",
           s.battery_status as "batteryStatus", s.last_reading_at as "lastReadingAt",
           s.latest_measured_at as "latestMeasuredAt", s.last_contact_at as "lastContactAt", s.expected_by as "expectedBy",
           s.observed_channel_types as "channelTypes", s.newest_reading_at as "newestReadingAt", s.open_alerts as "openAlerts", told.events as subscribed
         -- One look into each index per device: joined freely, a batch may read whole tables instead.
         from (
           select found.* from unnest(?::uuid[], ?::text[]) as wanted (organization_id, serial_number)
           cross join lateral (
             select id, organization_id, serial_number, name, model from assets
             where organization_id = wanted.organization_id
               and lower(serial_number) = lower(wanted.serial_number) and archived_at is null
             limit 1
           ) as found
           order by found.id
         ) as a
         cross join lateral (select * from device_states where asset_id = a.id for no key update) as s
         left join told on told.organization_id = a.organization_id`,
        [[...new Set(organizationIds)], organizationIds, serials.map(({ serialNumber }) => serialNumber)],
      );
      return readConfigUnderLock(rows);
    },

    /**
     * Stores what is new, and the states of the devices after it, whose rows are held by `lockBySerial`; answers with the
     * positions, counted through all, of the readings that were known. One statement: each costs a way to the server.
     * Only what may be known is compared with what is there, since that costs half as much again as the insert. A reading
     * that was taken for new and is known violates the table's key.
     */
    async store(sent: ReadingBatch[], states: ReadonlyMap<string, DeviceState>): Promise<number[]> {
      if (states.size === 0) return [];
      const readings = sent.flatMap((each) => each.readings);
      const frameNumbers = sent.flatMap((frame, index) =>
        Array<number>(frame.readings.length).fill(index + 1),
      );
      const doubts = sent.flatMap(mayBeStored);
      const after = [...states.values()];
      const rows = await queryPrepared<{ position: number }>(
        sql,
        'measurements_store',
        `with changed as (
           update device_states s set
             status = n.status, signal_strength = n.signal_strength, battery_status = n.battery_status,
             last_reading_at = n.last_reading_at, latest_measured_at = n.latest_measured_at, last_contact_at = n.last_contact_at,
             expected_by = n.expected_by, newest_reading_at = n.newest_reading_at, observed_channel_types = n.observed_channel_types::smallint[]
           from unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::timestamptz[], ?::timestamptz[],
               ?::timestamptz[], ?::timestamptz[], ?::jsonb[], ?::text[])
             as n (asset_id, status, signal_strength, battery_status, last_reading_at, latest_measured_at, last_contact_at,
               expected_by, newest_reading_at, observed_channel_types)
           where s.asset_id = n.asset_id
         ), sent as materialized (
           select f.organization_ids[r.frame] as organization_id, f.asset_ids[r.frame] as asset_id, f.received_at[r.frame] as received_at, r.*
           from (select ?::uuid[] as organization_ids, ?::uuid[] as asset_ids, ?::timestamptz[] as received_at) as f
           cross join unnest(?::integer[], ?::timestamptz[], ?::smallint[], ?::smallint[],
             ?::double precision[], ?::integer[], ?::boolean[], ?::boolean[]) with ordinality
             as r (frame, measured_at, channel, type, value, error, late, maybe_stored, position)
         ), stored as (
           insert into measurements (organization_id, asset_id, measured_at, received_at, channel, type, value, error, late)
           select organization_id, asset_id, measured_at, received_at, channel, type, value, error, late from sent where not maybe_stored
         ), found_new as (
           insert into measurements (organization_id, asset_id, measured_at, received_at, channel, type, value, error, late)
           select organization_id, asset_id, measured_at, received_at, channel, type, value, error, late from sent where maybe_stored
           on conflict do nothing returning asset_id, measured_at, channel
         )
         -- Nearly always all are new: then nothing is joined.
         select sent.position - 1 as position from sent left join found_new using (asset_id, measured_at, channel)
         where maybe_stored and found_new.channel is null and (select count(*) from found_new) < ?::bigint`,
        [
          arrayOf([...states.keys()], (assetId) => assetId),
          arrayOf(after, ({ status }) => status),
          arrayOf(after, ({ signalStrength }) => signalStrength),
          arrayOf(after, ({ batteryStatus }) => batteryStatus),
          arrayOf(after, ({ lastReadingAt }) => lastReadingAt?.toISOString() ?? null),
          arrayOf(after, ({ latestMeasuredAt }) => latestMeasuredAt?.toISOString() ?? null),
          arrayOf(after, ({ lastContactAt }) => lastContactAt?.toISOString() ?? null),
          arrayOf(after, ({ expectedBy }) => expectedBy?.toISOString() ?? null),
          after.map(({ newestReadingAt }) => JSON.stringify(newestReadingAt)),
          after.map(({ channelTypes }) => channelTypes && `{${channelTypes.join()}}`),
          arrayOf(sent, ({ organizationId }) => organizationId),
          arrayOf(sent, ({ assetId }) => assetId),
          arrayOf(sent, ({ receivedAt }) => receivedAt.toISOString()),
          arrayOf(frameNumbers, (number) => number),
          arrayOf(readings, ({ measuredAt }) => measuredAt.toISOString()),
          arrayOf(readings, ({ channel }) => channel),
          arrayOf(readings, ({ type }) => type),
          arrayOf(readings, ({ value }) => value),
          arrayOf(readings, ({ error }) => error),
          arrayOf(readings, ({ late }) => late),
          arrayOf(doubts, (maybeStored) => maybeStored),
          doubts.filter((maybeStored) => maybeStored).length,
        ],
      );
      return rows.map(({ position }) => position);
    },

    /** The active asset whose readings are asked for; they themselves carry no organization. */
    async findScope(organizationId: string, assetId: string): Promise<HistoryScope | null> {
      const [row] = await queryPrepared<HistoryScope['layout'] & { assetId: string }>(
        sql,
        'measurements_find_scope',
        `select a.id as "assetId", a.model, coalesce(d.reported_channel_types, s.observed_channel_types) as "channelTypes"
         from assets a join device_states s on s.asset_id = a.id join device_configs d on d.asset_id = a.id
         where a.organization_id = ? and a.id = ? and a.archived_at is null`,
        [organizationId, assetId],
      );
      return row
        ? { assetId: row.assetId, layout: { model: row.model, channelTypes: row.channelTypes } }
        : null;
    },

    /** Newest first, along the primary key. */
    list(
      { assetId }: HistoryScope,
      { from, to, channel, before, limit }: HistoryFilter,
    ): Promise<HistoryReading[]> {
      const bounds: Array<[name: string, condition: string, ...values: unknown[]]> = [];
      if (from) bounds.push(['from', 'measured_at >= ?::timestamptz', from.toISOString()]);
      if (to) bounds.push(['to', 'measured_at < ?::timestamptz', to.toISOString()]);
      if (channel !== null) bounds.push(['channel', 'channel = ?::smallint', channel]);
      if (before) {
        const at = before.measuredAt.toISOString();
        // The first is what excludes partitions.
        bounds.push(['until', 'measured_at <= ?::timestamptz', at]);
        bounds.push(['before', '(measured_at, channel) < (?::timestamptz, ?::smallint)', at, before.channel]);
      }
      return queryPrepared(
        sql,
        ['measurements_list', ...bounds.map(([name]) => name)].join('_'),
        `select channel, type, value, error, late, measured_at as "measuredAt", received_at as "receivedAt"
         from measurements where ${['asset_id = ?', ...bounds.map(([, condition]) => condition)].join(' and ')}
         order by measured_at desc, channel desc limit ?`,
        [assetId, ...bounds.flatMap(([, , ...values]) => values), limit],
      );
    },
  };
}

type Element = string | number | boolean | null;

/** A PostgreSQL array as text, of what needs no quotes: much cheaper than the driver's own way, element by element. */
const arrayOf = <Item>(items: Item[], value: (item: Item) => Element): string =>
  `{${items.map((item) => value(item) ?? 'null').join()}}`;

const mayBeStored = ({ readings, latestMeasuredAt }: ReadingBatch): boolean[] =>
  readings.map(({ measuredAt }) => latestMeasuredAt === null || measuredAt <= latestMeasuredAt);

/** Named one by one: objects of so many fields are spread into hash tables, which live until a full collection. */
function lockedDeviceOf(row: StateRow, config: ConfigRow): LockedDevice {
  return {
    asset: {
      assetId: row.assetId,
      organizationId: row.organizationId,
      serialNumber: row.serialNumber,
      assetName: row.assetName,
      openAlerts: row.openAlerts,
      layout: { model: row.model, channelTypes: config.channelTypes ?? row.channelTypes },
      subscribed: new Set(row.subscribed),
    },
    state: {
      status: row.status,
      signalStrength: row.signalStrength,
      batteryStatus: row.batteryStatus,
      lastReadingAt: row.lastReadingAt,
      latestMeasuredAt: row.latestMeasuredAt,
      lastContactAt: row.lastContactAt,
      expectedBy: row.expectedBy,
      channelTypes: row.channelTypes,
      newestReadingAt: row.newestReadingAt,
    },
    config: {
      sync: syncOf(config),
      reportedHash: config.reportedHash,
      observedHash: config.observedHash,
      channelTypes: config.channelTypes,
      areChannelsReported: config.areChannelsReported,
    },
  };
}

function syncOf(row: ConfigRow): SyncState<string> {
  const { reportedConfigId, confirmedConfigId, pendingConfigId, revision, fetchedAt, failure } = row;
  return {
    reported: reportedConfigId === null ? null : { config: reportedConfigId },
    confirmed: confirmedConfigId,
    revision,
    pending: pendingConfigId === null ? null : { config: pendingConfigId, fetchedAt, failure },
  };
}
