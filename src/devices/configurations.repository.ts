/**
 * The immutable, content-addressed configurations. The cache saves reading them and nothing else: a database that was
 * restored, or that has failed over, may lack configurations that it had before. A transaction that makes a row refer to one
 * inserts it, which keeps it from being removed as unused, unless a row that it has locked refers to it.
 */

import type { LRUCache } from 'lru-cache';
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import { createBoundedCache } from '../process/bounded-cache.ts';
import { configurationId, type DeviceConfiguration } from './configuration.ts';

/**
 * Contents by id, shared by all transactions of a process. They never change, and the id is also a hash of
 * the organization.
 */
export type ConfigurationCache = LRUCache<string, DeviceConfiguration>;

export const createConfigurationCache = (max = 5_000): ConfigurationCache => createBoundedCache(max);

type IdsByTransaction = WeakMap<Sql, Set<string>>;

/** The inserts of a transaction may still be rolled back, so they must not enter the shared cache. */
const insertedIn: IdsByTransaction = new WeakMap();
/** Configurations referenced by rows that a transaction has locked; they stay stored as long as it runs. */
const referencedIn: IdsByTransaction = new WeakMap();

function remember(byTransaction: IdsByTransaction, sql: Sql, ids: Iterable<string | null>): void {
  if (!sql.isTransaction) return;
  const known = byTransaction.get(sql) ?? new Set<string>();
  for (const id of ids) if (id !== null) known.add(id);
  byTransaction.set(sql, known);
}

export const rememberReferenced = (sql: Sql, ids: Iterable<string | null>): void =>
  remember(referencedIn, sql, ids);

const FIND = `
  select c.id, c.content
  from unnest(:organizationIds::uuid[], :ids::uuid[]) as n (organization_id, id)
  join configurations c on c.organization_id = n.organization_id and c.id = n.id`;

const INSERT = `
  with n as materialized (
    select * from unnest(:organizationIds::uuid[], :ids::uuid[], :contents::json[]) as n (organization_id, id, content)
  ), used as (
    update configurations c set last_used_at = now() from n
    where c.organization_id = n.organization_id and c.id = n.id and c.last_used_at < now() - interval '1 day'
    returning c.id
  )
  insert into configurations (organization_id, id, content)
  select organization_id, id, content from n where id not in (select id from used)
  order by organization_id, id on conflict do nothing`;

/** The configurations referenced by one device, or one organization. */
interface ConfigurationRefs {
  organizationId: string;
  configIds: Iterable<string | null>;
}

export type ConfigurationsRepository = ReturnType<typeof createConfigurationsRepository>;

export function createConfigurationsRepository(sql: Sql, cache: ConfigurationCache) {
  return {
    async find(refs: Iterable<ConfigurationRefs>): Promise<Map<string, DeviceConfiguration>> {
      const found = new Map<string, DeviceConfiguration>();
      const missing = new Map<string, string>();
      for (const { organizationId, configIds } of refs) {
        for (const id of configIds) {
          if (id === null) continue;
          const cached = cache.get(id);
          if (cached) found.set(id, cached);
          else missing.set(id, organizationId);
        }
      }
      if (missing.size === 0) return found;
      const rows = await queryPrepared<{ id: string; content: DeviceConfiguration }>(
        sql,
        'configurations_find',
        FIND,
        { organizationIds: [...missing.values()], ids: [...missing.keys()] },
      );
      for (const { id, content } of rows) {
        if (!insertedIn.get(sql)?.has(id)) cache.set(id, content);
        found.set(id, content);
      }
      return found;
    },

    /**
     * Stores missing configurations; returns the ids of all, in order. Marks those as used that were not for
     * a day, so that one that is being removed at the same moment is either kept, or stored again.
     */
    async insert(entries: Array<{ organizationId: string; config: DeviceConfiguration }>): Promise<string[]> {
      const ids = entries.map(({ organizationId, config }) => configurationId(organizationId, config));
      const distinct = new Map(ids.map((id, index) => [id, entries[index] as (typeof entries)[number]]));
      for (const id of referencedIn.get(sql) ?? []) distinct.delete(id);
      if (distinct.size === 0) return ids;
      // In a fixed order, so that transactions with the same configurations never deadlock.
      const missing = [...distinct].toSorted(([a], [b]) => (a < b ? -1 : 1));
      remember(insertedIn, sql, distinct.keys());
      await queryPrepared(sql, 'configurations_insert', INSERT, {
        organizationIds: missing.map(([, { organizationId }]) => organizationId),
        ids: missing.map(([id]) => id),
        contents: missing.map(([, { config }]) => JSON.stringify(config)),
      });
      return ids;
    },
  };
}
