/**
 * Kept totals of lists, because counting takes longer with more items: see the tables list_totals and
 * list_changes. Triggers keep them by these names; where tables are distributed, views count them
 * (counted-lists.ts).
 */

/** `devices`: active ones, by their states. */
export type KeptList = 'assets' | 'alerts' | 'devices';

export interface KeptTotal {
  list: KeptList;
  key: string;
}

export const ALL_ASSETS: KeptTotal = { list: 'assets', key: '' };
export const assetsOfModel = (model: string): KeptTotal => ({ list: 'assets', key: `model:${model}` });
export const assetsOfGroup = (groupId: string): KeptTotal => ({ list: 'assets', key: `group:${groupId}` });
export const devicesBy = (what: 'status' | 'battery' | 'sync', value: string): KeptTotal => ({
  list: 'devices',
  key: `${what}:${value}`,
});
export const alertsBy = (status: string, type: string | null): KeptTotal => ({
  list: 'alerts',
  key: type === null ? status : `type:${type}:${status}`,
});

/** SQL over rows of both tables: devices by their states, and open alerts by type. */
export const IS_OF_FLEET = `(list = 'devices' or list = 'alerts' and key ~ '^type:.*:(new|acknowledged)$')`;
/** `status:online`, `battery:low`, `sync:applied`, `profile:none`, `alert:no_data`. */
export const FLEET_KEY = `case list when 'alerts' then 'alert:' || split_part(key, ':', 2) else key end`;
