/** The immutable, content-addressed configurations; what was once read is never read again. */
import { LRUCache } from 'lru-cache';
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import type { DeviceConfiguration } from './configuration.ts';
import { configurationId } from './configuration-id.ts';

/** Contents by id, shared by all transactions of a process: they never change, and the id holds the organization. */
export type ConfigurationCache = LRUCache<string, DeviceConfiguration>;

export const createConfigurationCache = (max = 5_000): ConfigurationCache => new LRUCache({ max });

/** What a transaction has inserted may still be undone, so nobody else may take it for there. */
const insertedIn = new WeakMap<Sql, Set<string>>();

function noteInserted(sql: Sql, ids: Iterable<string>): void {
  if (!sql.isTransaction) return;
  const inserted = insertedIn.get(sql) ?? new Set<string>();
  for (const id of ids) inserted.add(id);
  insertedIn.set(sql, inserted);
}

export type ConfigurationsRepository = ReturnType<typeof createConfigurationsRepository>;

export function createConfigurationsRepository(sql: Sql, cache: ConfigurationCache) {
  return {
    /** Contents by id, for ids of any organization that the caller already holds. */
    async find(ids: Iterable<string | null>): Promise<Map<string, DeviceConfiguration>> {
      const found = new Map<string, DeviceConfiguration>();
      const missing = new Set<string>();
      for (const id of ids) {
        if (id === null) continue;
        const cached = cache.get(id);
        if (cached) found.set(id, cached);
        else missing.add(id);
      }
      if (missing.size === 0) return found;
      const rows = await queryPrepared<{ id: string; content: DeviceConfiguration }>(
        sql,
        'configurations_find',
        'select id, content from configurations where id = any(?::uuid[])',
        [[...missing]],
      );
      for (const { id, content } of rows) {
        if (!insertedIn.get(sql)?.has(id)) cache.set(id, content);
        found.set(id, content);
      }
      return found;
    },

    /** Makes sure that the configurations are there; returns their ids in order. What was once read is there for good. */
    async insert(entries: Array<{ organizationId: string; config: DeviceConfiguration }>): Promise<string[]> {
      const ids = entries.map(({ organizationId, config }) => configurationId(organizationId, config));
      const fresh = new Map(
        entries.flatMap((entry, index) => {
          const id = ids[index] as string;
          return cache.has(id) ? [] : [[id, entry]];
        }),
      );
      if (fresh.size === 0) return ids;
      noteInserted(sql, fresh.keys());
      await queryPrepared(
        sql,
        'configurations_insert',
        `insert into configurations (organization_id, id, content)
         select * from unnest(?::uuid[], ?::uuid[], ?::json[]) on conflict do nothing`,
        [
          [...fresh.values()].map(({ organizationId }) => organizationId),
          [...fresh.keys()],
          [...fresh.values()].map(({ config }) => JSON.stringify(config)),
        ],
      );
      return ids;
    },
  };
}
