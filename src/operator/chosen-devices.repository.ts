import type { Knex } from 'knex';
import { oneOf } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { type ChosenDevices, MEASURED_MAX, type MeasuredDevice } from './breaches.ts';

export type ChosenDevicesRepository = ReturnType<typeof createChosenDevicesRepository>;

export function createChosenDevicesRepository(sql: Database) {
  return {
    /** The latest readings of the chosen devices, up to a limit. */
    async listMeasured(organizationId: string, chosen: ChosenDevices): Promise<MeasuredDevice[]> {
      return sql({ a: 'assets' })
        .join({ s: 'device_states' }, { 's.organization_id': 'a.organization_id', 's.asset_id': 'a.id' })
        .join({ d: 'device_configs' }, { 'd.organization_id': 'a.organization_id', 'd.asset_id': 'a.id' })
        .where({ 'a.organization_id': organizationId, 'a.archived_at': null })
        .modify(among, chosen)
        .orderBy('a.id')
        .limit(MEASURED_MAX)
        .select(
          'a.model',
          sql.raw(`coalesce(s.latest, '[]') as latest`),
          sql.raw('coalesce(d.reported_channel_types, s.observed_channel_types) as "channelTypes"'),
        );
    },
  };
}

function among(devices: Knex.QueryBuilder, { serialNumbers, groupId }: ChosenDevices): void {
  if (groupId !== undefined) devices.where('a.group_id', groupId);
  const keys = serialNumbers?.map((serial) => serial.toLowerCase());
  if (keys !== undefined) devices.where(oneOf('lower(a.serial_number)', keys, 'text'));
}
