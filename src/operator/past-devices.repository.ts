/** Devices outside of the fleet: archived ones, and loggers that were replaced. */
import type { Knex } from 'knex';
import type { Asset, Replacement } from '../assets/asset.ts';
import { oneOf } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { toName } from '../http/one-line.ts';

export interface ArchivedDevice extends Pick<Asset, 'id' | 'name' | 'serialNumber' | 'model' | 'createdAt'> {
  archivedAt: Date;
}

export interface ReplacedLogger extends Replacement {
  /** The device that it belonged to, which may be archived by now. */
  assetId: string;
  name: string;
}

export interface ArchivedFilter {
  /** Part of the serial number or the name, compared without case; null: all. */
  q: string | null;
  /** Ids before this one, the newest first; null: from the newest on. */
  before: string | null;
  limit: number;
}

export type PastDevicesRepository = ReturnType<typeof createPastDevicesRepository>;

export function createPastDevicesRepository(sql: Database) {
  const archived = (organizationId: string): Knex.QueryBuilder =>
    sql('assets').where({ organization_id: organizationId }).whereNotNull('archived_at').select({
      id: 'id',
      name: 'name',
      serialNumber: 'serial_number',
      model: 'model',
      createdAt: 'created_at',
      archivedAt: 'archived_at',
    });
  const replaced = (organizationId: string): Knex.QueryBuilder =>
    sql({ r: 'asset_replacements' })
      .join({ a: 'assets' }, { 'a.organization_id': 'r.organization_id', 'a.id': 'r.asset_id' })
      .where('r.organization_id', organizationId)
      .orderBy('r.id', 'desc')
      .select({
        serialNumber: 'r.serial_number',
        replacedAt: 'r.replaced_at',
        assetId: 'r.asset_id',
        name: 'a.name',
      });

  return {
    find: async (organizationId: string, id: string): Promise<ArchivedDevice | null> =>
      (await archived(organizationId).where({ id }).first()) ?? null,

    async list(organizationId: string, { q, before, limit }: ArchivedFilter): Promise<ArchivedDevice[]> {
      const rows = archived(organizationId).orderBy('id', 'desc').limit(limit);
      if (before !== null) rows.where('id', '<', before);
      if (q !== null)
        rows.whereRaw(`(${contains('serial_number')} or ${contains('name')})`, [toName(q), toName(q)]);
      return rows;
    },

    /** Loggers that were replaced, by a part of their serial number, the latest first. */
    listReplaced: async (organizationId: string, q: string, limit: number): Promise<ReplacedLogger[]> =>
      replaced(organizationId)
        .whereRaw(contains('r.serial_number'), [toName(q)])
        .limit(limit),

    /** By serial number in lower case. */
    async listReplacedBySerials(
      organizationId: string,
      serialNumbers: readonly string[],
    ): Promise<Map<string, ReplacedLogger>> {
      if (serialNumbers.length === 0) return new Map();
      const keys = serialNumbers.map((serial) => serial.toLowerCase());
      const found: ReplacedLogger[] = await replaced(organizationId).where(
        oneOf('lower(r.serial_number)', keys, 'text'),
      );
      // The latest one is set last.
      return new Map(found.reverse().map((logger) => [logger.serialNumber.toLowerCase(), logger]));
    },
  };
}

/** As active devices are searched. */
const contains = (column: string): string =>
  `strpos(casefold(${column} collate pg_unicode_fast), casefold(?::text collate pg_unicode_fast)) > 0`;
