/** Devices outside of the fleet: archived ones, and loggers that were replaced. */
import type { Knex } from 'knex';
import type { Database } from '../db/database.ts';
import { toName } from '../http/one-line.ts';

export interface ArchivedDevice {
  id: string;
  name: string;
  serialNumber: string;
  model: string | null;
  createdAt: Date;
  archivedAt: Date;
}

export interface ReplacedLogger {
  serialNumber: string;
  replacedAt: Date;
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
  const archived = (organizationId: string) =>
    sql('assets').where({ organization_id: organizationId }).whereNotNull('archived_at');
  const toReplaced = (rows: ReplacedRow[]): ReplacedLogger[] =>
    rows.map((row) => ({
      serialNumber: row.serial_number,
      replacedAt: row.replaced_at,
      assetId: row.asset_id,
      name: row.name,
    }));
  const replaced = (organizationId: string): Knex.QueryBuilder =>
    sql({ r: 'asset_replacements' })
      .join({ a: 'assets' }, (on) =>
        on.on('a.organization_id', 'r.organization_id').andOn('a.id', 'r.asset_id'),
      )
      .where('r.organization_id', organizationId)
      .orderBy('r.id', 'desc')
      .select('r.serial_number', 'r.replaced_at', 'r.asset_id', 'a.name');

  return {
    async find(organizationId: string, id: string): Promise<ArchivedDevice | null> {
      const [row]: ArchivedRow[] = await archived(organizationId)
        .where({ id })
        .select(COLUMNS as never);
      return row ? toArchived(row) : null;
    },

    async list(organizationId: string, { q, before, limit }: ArchivedFilter): Promise<ArchivedDevice[]> {
      const rows = archived(organizationId).orderBy('id', 'desc').limit(limit);
      if (before !== null) rows.where('id', '<', before);
      if (q !== null)
        rows.whereRaw(`(${contains('serial_number')} or ${contains('name')})`, [toName(q), toName(q)]);
      const found: ArchivedRow[] = await rows.select(COLUMNS as never);
      return found.map(toArchived);
    },

    /** Loggers that were replaced, by a part of their serial number, the latest first. */
    async listReplaced(organizationId: string, q: string, limit: number): Promise<ReplacedLogger[]> {
      return toReplaced(
        await replaced(organizationId)
          .whereRaw(contains('r.serial_number'), [toName(q)])
          .limit(limit),
      );
    },

    /** By serial number in lower case. */
    async listReplacedBySerials(
      organizationId: string,
      serialNumbers: readonly string[],
    ): Promise<Map<string, ReplacedLogger>> {
      if (serialNumbers.length === 0) return new Map();
      const keys = serialNumbers.map((serial) => serial.toLowerCase());
      const rows = await replaced(organizationId).whereRaw('lower(r.serial_number) = any(?::text[])', [keys]);
      // The latest one is set last.
      return new Map(
        toReplaced(rows)
          .reverse()
          .map((logger) => [logger.serialNumber.toLowerCase(), logger]),
      );
    },
  };
}

/** As active devices are searched. */
const contains = (column: string): string =>
  `strpos(casefold(${column} collate pg_unicode_fast), casefold(?::text collate pg_unicode_fast)) > 0`;

const COLUMNS = ['id', 'name', 'serial_number', 'model', 'created_at', 'archived_at'] as const;

interface ArchivedRow {
  id: string;
  name: string;
  serial_number: string;
  model: string | null;
  created_at: Date;
  /** Only rows with it are read. */
  archived_at: Date | null;
}

interface ReplacedRow {
  serial_number: string;
  replaced_at: Date;
  asset_id: string;
  name: string;
}

const toArchived = (row: ArchivedRow): ArchivedDevice => ({
  id: row.id,
  name: row.name,
  serialNumber: row.serial_number,
  model: row.model,
  createdAt: row.created_at,
  archivedAt: row.archived_at as Date,
});
