/** States of the devices that a batch of messages is from, locked. */
import type { Sql } from '../db/database.ts';
import type { Locking } from '../db/locking-commit.ts';
import { queryPrepared } from '../db/query.ts';
import { ACTIVE_BY_SERIAL } from '../devices/device-row.ts';
import type { LatestReading } from '../devices/latest-readings.ts';
import type { SerialInOrganization } from '../devices/serial-number.ts';
import type { Presence } from '../presence/presence.ts';
import type { DeviceState, LockedState } from './stored-frame.ts';

interface StateRow extends Presence, Omit<DeviceState, 'presence' | 'latest'> {
  latest: LatestReading[] | null;
  organizationId: string;
  assetId: string;
  serialNumber: string;
  openAlerts: unknown[];
  subscribed: string[] | null;
  /** Another transaction has locked the state, which is null. */
  isLocked: boolean;
}

export interface LockedStates {
  /** By asset. */
  states: Map<string, LockedState>;
  /** Active devices whose states another transaction has locked, and were left out. */
  unavailable: SerialInOrganization[];
}

export type IntakeDevicesRepository = ReturnType<typeof createIntakeDevicesRepository>;

export const createIntakeDevicesRepository = (sql: Sql) => ({
  /** Of active devices by serial, in one order. */
  async lockStates(serials: SerialInOrganization[], locking: Locking): Promise<LockedStates> {
    const organizationIds = serials.map(({ organizationId }) => organizationId);
    const rows = await queryPrepared<StateRow>(
      sql,
      locking === 'skip' ? 'intake_lock_free_states' : 'intake_lock_states',
      `with subscriptions as materialized (
         select e.organization_id, array_agg(distinct t.type) as event_types
         from endpoints e cross join lateral unnest(e.events) as t (type)
         where e.organization_id = any(?::uuid[]) and (e.status = 'active' or e.disabled_reason = 'failing')
         group by 1
       )
       select a.organization_id as "organizationId", a.id as "assetId", a.serial_number as "serialNumber",
         s.status, s.signal_strength as "signalStrength",
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
    return {
      states: new Map(rows.filter(({ isLocked }) => !isLocked).map((row) => [row.assetId, toLocked(row)])),
      unavailable: rows.filter(({ isLocked }) => isLocked),
    };
  },
});

const NOTHING: ReadonlySet<string> = new Set();

const toLocked = (row: StateRow): LockedState => ({
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
});
