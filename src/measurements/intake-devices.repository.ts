/** The devices that a batch of frames is from: their states locked, the rest read. */
import type { Sql } from '../db/database.ts';
import type { Locking } from '../db/locking-commit.ts';
import { queryPrepared } from '../db/query.ts';
import type { ConfigurationKey } from '../devices/configuration.ts';
import { ACTIVE_BY_SERIAL, toRefusal, WITH_RUNNING } from '../devices/device-row.ts';
import type { SyncState } from '../devices/device-sync.ts';
import type { LatestReading } from '../devices/latest-readings.ts';
import type { SerialInOrganization } from '../devices/serial-number.ts';
import type { Presence } from '../presence/presence.ts';
import type { ConfigState, DeviceState, LockedDevice } from './stored-frame.ts';

interface StateRow extends Presence, Omit<DeviceState, 'presence' | 'latest'> {
  latest: LatestReading[] | null;
  organizationId: string;
  assetId: string;
  serialNumber: string;
  assetName: string;
  model: string | null;
  openAlerts: unknown[];
  subscribed: string[] | null;
  /** Another transaction has locked the state, which is null. */
  isLocked: boolean;
}

export interface LockedDevices {
  devices: LockedDevice[];
  /** Active devices whose states another transaction has locked, and were left out. */
  unavailable: SerialInOrganization[];
}

interface ConfigRow extends Omit<ConfigState, 'sync'> {
  assetId: string;
  serialNumber: string;
  reportedConfigId: string | null;
  confirmedConfigId: string | null;
  pendingConfigId: string | null;
  revision: number;
  fetchedAt: Date | null;
  failureReason: string | null;
  refusedKeys: ConfigurationKey[] | null;
}

export type IntakeDevicesRepository = ReturnType<typeof createIntakeDevicesRepository>;

export function createIntakeDevicesRepository(sql: Sql) {
  return {
    /**
     * Active devices by serial, their states locked in one order. Their configurations are read and not locked, so that
     * frames never wait for a job that changes many devices. Both statements are sent together.
     */
    async lockBySerial(serials: SerialInOrganization[], locking: Locking): Promise<LockedDevices> {
      const [found, configs] = await Promise.all([lockStates(serials, locking), readConfigs(serials)]);
      const unavailable = found.filter(({ isLocked }) => isLocked);
      const states = found.filter(({ isLocked }) => !isLocked);
      const devices = states.flatMap((state) => {
        const config = configs.get(state.assetId);
        return config?.serialNumber === state.serialNumber ? [lockedDeviceOf(state, config)] : [];
      });
      return { devices, unavailable };
    },
  };

  function lockStates(serials: SerialInOrganization[], locking: Locking): Promise<StateRow[]> {
    const organizationIds = serials.map(({ organizationId }) => organizationId);
    return queryPrepared(
      sql,
      locking === 'skip' ? 'intake_lock_free_states' : 'intake_lock_states',
      `with subscriptions as materialized (
         select e.organization_id, array_agg(distinct t.type) as event_types
         from endpoints e cross join lateral unnest(e.events) as t (type)
         where e.organization_id = any(?::uuid[]) and (e.status = 'active' or e.disabled_reason = 'failing')
         group by 1
       )
       select a.organization_id as "organizationId", a.id as "assetId", a.serial_number as "serialNumber",
         a.name as "assetName", a.model, s.status, s.signal_strength as "signalStrength",
         s.sends_signal as "sendsSignal", s.battery_status as "batteryStatus", s.last_reading_at as "lastReadingAt",
         s.latest_measured_at as "latestMeasuredAt", s.last_contact_at as "lastContactAt", s.expected_by as "expectedBy",
         s.observed_channel_types as "channelTypes", s.newest_reading_at as "newestReadingAt",
         s.latest,
         s.open_alerts as "openAlerts", subscriptions.event_types as subscribed, s.asset_id is null as "isLocked"
       -- One look-up in each index per device: joined freely, a batch may read whole tables instead.
       from (select * from ${ACTIVE_BY_SERIAL} as found order by organization_id, id) as a
       ${locking === 'skip' ? 'left' : 'inner'} join lateral (
         select * from device_states where organization_id = a.organization_id and asset_id = a.id
         for no key update ${locking === 'skip' ? 'skip locked' : ''}
       ) as s on true
       left join subscriptions on subscriptions.organization_id = a.organization_id`,
      [[...new Set(organizationIds)], organizationIds, serials.map(({ serialNumber }) => serialNumber)],
    );
  }

  /**
   * By asset, read after the lock: while the transaction waited for it, the asset may have got new hardware, and the
   * device other alert rules, whose open alerts are resolved under the same lock.
   */
  async function readConfigs(serials: SerialInOrganization[]): Promise<Map<string, ConfigRow>> {
    const rows = await queryPrepared<ConfigRow>(
      sql,
      'intake_read_configs',
      `select a.id as "assetId", a.serial_number as "serialNumber", d.reported_config_id as "reportedConfigId",
         d.confirmed_config_id as "confirmedConfigId", d.reported_hash as "reportedHash",
         d.observed_hash as "observedHash", d.pending_config_id as "pendingConfigId", d.revision,
         d.fetched_at as "fetchedAt", d.failure_reason as "failureReason", d.refused_keys as "refusedKeys",
         d.reported_channel_types as "channelTypes", d.channels_reported as "areChannelsReported",
         r.measurement_period_seconds as "periodSeconds"
       from ${ACTIVE_BY_SERIAL} as a
       cross join lateral (
         select * from device_configs
         where organization_id = a.organization_id and asset_id = a.id and is_active
         limit 1
       ) as d
       ${WITH_RUNNING}`,
      [serials.map(({ organizationId }) => organizationId), serials.map(({ serialNumber }) => serialNumber)],
    );
    return new Map(rows.map((row) => [row.assetId, row]));
  }
}

const NOTHING: ReadonlySet<string> = new Set();

/** Field by field: V8 turns objects of so many fields that are spread into hash tables, which are slow and large. */
function lockedDeviceOf(row: StateRow, config: ConfigRow): LockedDevice {
  return {
    organizationId: row.organizationId,
    assetId: row.assetId,
    serialNumber: row.serialNumber,
    assetName: row.assetName,
    layout: { model: row.model, channelTypes: config.channelTypes ?? row.channelTypes },
    subscribed: row.subscribed ? new Set(row.subscribed) : NOTHING,
    openAlerts: row.openAlerts,
    state: {
      presence: { status: row.status, lastContactAt: row.lastContactAt, expectedBy: row.expectedBy },
      signalStrength: row.signalStrength,
      sendsSignal: row.sendsSignal,
      batteryStatus: row.batteryStatus,
      lastReadingAt: row.lastReadingAt,
      latestMeasuredAt: row.latestMeasuredAt,
      channelTypes: row.channelTypes,
      newestReadingAt: row.newestReadingAt,
      latest: row.latest ?? [],
    },
    config: {
      sync: syncOf(config),
      reportedHash: config.reportedHash,
      observedHash: config.observedHash,
      periodSeconds: config.periodSeconds,
      channelTypes: config.channelTypes,
      areChannelsReported: config.areChannelsReported,
    },
  };
}

function syncOf(row: ConfigRow): SyncState<string> {
  const { reportedConfigId, confirmedConfigId, pendingConfigId, revision, fetchedAt } = row;
  const refusal = toRefusal(row.failureReason, row.refusedKeys);
  return {
    reported: reportedConfigId === null ? null : { config: reportedConfigId },
    confirmed: confirmedConfigId,
    revision,
    pending: pendingConfigId === null ? null : { config: pendingConfigId, fetchedAt, refusal },
  };
}
