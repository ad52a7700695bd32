import type { Knex } from 'knex';
import { acrossOrganizations } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { IS_UNREGISTERED } from '../devices/unregistered-devices.statements.ts';
import { HEALTH_STATE } from '../endpoints/shown-health.ts';

/**
 * A number with its key: `status:online`, `sync:applied`, `unprofiled:applied`, `alert:no_data`,
 * `endpoint:healthy`, `unregistered:`.
 */
export interface FleetCount {
  key: string;
  count: number;
}

export type FleetRepository = ReturnType<typeof createFleetRepository>;

/** One statement counts all at one moment, each by an index. */
export function createFleetRepository(sql: Database) {
  const counted = (name: string, state: string, rows: Knex.QueryBuilder): Knex.QueryBuilder =>
    rows.groupByRaw(state).select(sql.raw(`'${name}:' || ${state} as key, count(*) as count`));
  const ofDevices = (states: () => Knex.QueryBuilder, configs: () => Knex.QueryBuilder) => [
    counted('status', 'status', states()),
    counted('battery', 'battery_status', states()),
    counted('sync', 'sync_status', configs()),
    counted('unprofiled', 'sync_status', configs().where({ has_had_profile: false })),
  ];
  const openAlerts = (organizationId: string): Knex.QueryBuilder =>
    sql('alerts').where({ organization_id: organizationId }).whereIn('status', ['new', 'acknowledged']);

  return {
    /** Devices, open alerts and endpoints by state, and unregistered devices. */
    async count(organizationId: string): Promise<FleetCount[]> {
      const active = (table: string) => () =>
        sql(table).where({ organization_id: organizationId, is_active: true });
      const endpoints = sql({ ep: 'endpoints' }).where({ organization_id: organizationId, deleted_at: null });
      const unregistered = sql('unregistered_devices')
        .where({ organization_id: organizationId })
        .whereRaw(IS_UNREGISTERED)
        .select(sql.raw(`'unregistered:' as key, count(*) as count`));
      return sql.unionAll([
        ...ofDevices(active('device_states'), active('device_configs')),
        counted('alert', 'type', openAlerts(organizationId)),
        counted('endpoint', HEALTH_STATE, endpoints),
        unregistered,
      ]);
    },

    /** The same of the members of a group, without endpoints and unregistered devices. */
    async countMembers(organizationId: string, groupId: string): Promise<FleetCount[]> {
      const own = { organization_id: organizationId };
      const assets: Knex.QueryBuilder = sql({ a: 'assets' });
      const members = assets
        .join({ s: 'device_states' }, { 's.organization_id': 'a.organization_id', 's.asset_id': 'a.id' })
        .join({ d: 'device_configs' }, { 'd.organization_id': 'a.organization_id', 'd.asset_id': 'a.id' })
        .where({ 'a.organization_id': organizationId, 'a.group_id': groupId })
        .whereExists(
          sql('groups')
            .where({ ...own, id: groupId, deleted_at: null })
            .select('id'),
        )
        .select('a.id', 's.status', 's.battery_status', 'd.sync_status', 'd.has_had_profile');
      const all = () => sql('members');
      const alerts = openAlerts(organizationId).whereIn('asset_id', all().select('id'));
      return sql
        .withMaterialized('members', members)
        .unionAll([...ofDevices(all, all), counted('alert', 'type', alerts)]);
    },

    /** Devices of all organizations by state, for metrics. */
    async countAll(): Promise<FleetCount[]> {
      const active = (table: string) => acrossOrganizations(sql(table).where({ is_active: true }));
      return [
        ...(await counted('status', 'status', active('device_states'))),
        ...(await counted('sync', 'sync_status', active('device_configs'))),
      ];
    },
  };
}
