import type { Knex } from 'knex';
import { countRows, newestFirst, type Page } from '../db/builder.ts';
import type { Columns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import type { Role } from '../http/role.ts';
import type { KeyKind } from '../http/route.ts';

export interface KeyRecord {
  id: string;
  organizationId: string;
  organizationName: string;
  /** Null: created without a name. */
  name: string | null;
  kind: KeyKind;
  /** Null for device keys. */
  role: Role | null;
  /** The only device that the token is valid for, in lower case; null: all devices. */
  serialKey: string | null;
  /** Whether the token is valid for all devices, while the organization requires one for each. */
  isForbidden: boolean;
  tokenPreview: string;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** At most an hour before the last use; null: not used, or the token of a single device. */
  lastUsedAt: Date | null;
}

export interface NewKey {
  organizationId: string;
  name?: string | null;
  kind: KeyKind;
  /** Null for device keys. */
  role?: Role | null;
  /** The only serial number that the token is valid for, in lower case. */
  serialKey?: string | null;
  hash: Buffer;
  tokenPreview: string;
  expiresAt: Date | null;
}

interface KeyRow extends Columns<Omit<KeyRecord, 'organizationName' | 'isForbidden'>> {
  hash: Buffer;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    api_keys: KeyRow;
  }
}

type KeyOfOrganization = Omit<KeyRow, 'hash'> & {
  organization_name: string;
  requires_device_tokens: boolean;
};

const toKey = (row: KeyOfOrganization): KeyRecord => ({
  id: row.id,
  organizationId: row.organization_id,
  organizationName: row.organization_name,
  name: row.name,
  kind: row.kind,
  role: row.role,
  serialKey: row.serial_key,
  isForbidden: row.kind === 'device' && row.serial_key === null && row.requires_device_tokens,
  tokenPreview: row.token_preview,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
});

/** Runs for every request with an unknown key. One row for each of `:hashes`, in their order; its columns are null if no key has the hash. */
const FIND_BY_HASHES = `
  select k.id, k.organization_id, k.name, k.kind, k.role, k.serial_key, k.token_preview, k.created_at, k.expires_at,
    k.revoked_at, k.last_used_at, o.name as organization_name, o.requires_device_tokens
  from unnest(:hashes::bytea[]) with ordinality as h (hash, position)
  left join (api_keys k join organizations o on o.id = k.organization_id) on k.hash = h.hash
  order by h.position`;

export type KeysRepository = ReturnType<typeof createKeysRepository>;

/**
 * A key is looked up before the organization is known, and the command line lists and revokes keys of all
 * organizations, so these statements name no organization.
 */
export function createKeysRepository(sql: Database) {
  const keys = () =>
    sql('api_keys as k')
      .join('organizations as o', 'o.id', 'k.organization_id')
      .select<KeyOfOrganization[]>('k.*', { organization_name: 'o.name' }, 'o.requires_device_tokens');

  /** Without revoked keys and tokens of single devices. */
  const own = (organizationId: string) =>
    sql('api_keys').where({ organization_id: organizationId, revoked_at: null, serial_key: null });

  const ofSerials = (organizationId: string, serialKeys: readonly string[]) =>
    sql('api_keys')
      .where({ organization_id: organizationId, revoked_at: null })
      .whereIn('serial_key', serialKeys);

  return {
    /** In the order of the hashes. */
    async findByHashes(hashes: Buffer[]): Promise<Array<KeyRecord | null>> {
      const rows = await queryPrepared<KeyOfOrganization | { id: null }>(
        sql,
        'keys_find_by_hashes',
        FIND_BY_HASHES,
        { hashes },
      );
      return rows.map((row) => (row.id === null ? null : toKey(row)));
    },

    async find(id: string): Promise<KeyRecord | null> {
      const row = await keys().where('k.id', id).first();
      return row ? toKey(row) : null;
    },

    /** Without tokens of single devices. */
    async list(organizationName: string | null): Promise<KeyRecord[]> {
      const list = keys().whereNull('k.serial_key').orderBy(['o.name', 'k.id']);
      if (organizationName !== null) list.where('o.name', organizationName);
      return (await list).map(toKey);
    },

    /** A key that is not revoked, and not a token of a single device. */
    async findOwn(organizationId: string, id: string): Promise<KeyRecord | null> {
      const row = await keys()
        .where({
          'k.organization_id': organizationId,
          'k.id': id,
          'k.revoked_at': null,
          'k.serial_key': null,
        })
        .first();
      return row ? toKey(row) : null;
    },

    /** Newest first; without revoked keys and tokens of single devices. */
    async listOwn(organizationId: string, page: Page): Promise<KeyRecord[]> {
      const rows = await keys()
        .where({ 'k.organization_id': organizationId, 'k.revoked_at': null, 'k.serial_key': null })
        .modify(newestFirst, page, 'k.id');
      return rows.map(toKey);
    },

    async lockOrganization(id: string): Promise<void> {
      await sql('organizations').where({ id }).select('id').forNoKeyUpdate();
    },

    /** Counts working admin keys. */
    countAdmins(organizationId: string): Promise<number> {
      return countRows(own(organizationId).where({ role: 'admin' }).where(isValidAt(sql.fn.now())));
    },

    /** The total of `listOwn`. */
    countOwn(organizationId: string): Promise<number> {
      return countRows(own(organizationId));
    },

    async insert(key: NewKey): Promise<string> {
      const [row] = await sql('api_keys')
        .insert({
          organization_id: key.organizationId,
          name: key.name ?? null,
          kind: key.kind,
          role: key.role ?? null,
          serial_key: key.serialKey ?? null,
          hash: key.hash,
          token_preview: key.tokenPreview,
          expires_at: key.expiresAt,
        })
        .returning('id');
      return (row as { id: string }).id;
    },

    /** False when there is no such key, or it was already revoked. */
    async revoke(id: string): Promise<boolean> {
      return (await sql('api_keys').where({ id, revoked_at: null }).update({ revoked_at: sql.fn.now() })) > 0;
    },

    /**
     * Makes the newest working tokens of the serial number expire at that time, unless they do earlier, and
     * deletes all others. The caller serializes this per serial number.
     */
    async retireOfSerial(
      organizationId: string,
      serialKey: string,
      { keptMax, now, expiresAt }: { keptMax: number; now: Date; expiresAt: Date },
    ): Promise<void> {
      const tokens = () => ofSerials(organizationId, [serialKey]);
      const kept = await tokens().where(isValidAt(now)).orderBy('id', 'desc').limit(keptMax).pluck('id');
      await tokens().whereNotIn('id', kept).delete();
      await tokens().update({ expires_at: notAfter(expiresAt) });
    },

    /** False when none was working. */
    async removeOfSerials(
      organizationId: string,
      serialKeys: readonly string[],
      now: Date,
    ): Promise<boolean> {
      const removed = await ofSerials(organizationId, serialKeys).delete(['expires_at']);
      return removed.some(({ expires_at: end }) => end === null || end > now);
    },

    /** The newest working token. */
    async findOfSerial(organizationId: string, serialKey: string, now: Date): Promise<KeyRecord | null> {
      const row = await keys()
        .where({ organization_id: organizationId, serial_key: serialKey, revoked_at: null })
        .where(isValidAt(now))
        .orderBy('k.id', 'desc')
        .first();
      return row ? toKey(row) : null;
    },

    /** Keys that another process has marked since `notSince` stay as they are. */
    async markUsed(ids: string[], { at, notSince }: { at: Date; notSince: Date }): Promise<void> {
      await sql('api_keys')
        .whereIn('id', ids)
        .where((key) => void key.whereNull('last_used_at').orWhere('last_used_at', '<=', notSince))
        .update({ last_used_at: at });
    },

    async expireAt(id: string, at: Date): Promise<void> {
      await sql('api_keys')
        .where({ id })
        .update({ expires_at: notAfter(at) });
    },
  };

  function notAfter(at: Date) {
    return sql.raw('least(expires_at, ?::timestamptz)', [at]);
  }
}

const isValidAt = (at: Date | Knex.Raw) => (key: Knex.QueryBuilder) =>
  void key.whereNull('expires_at').orWhere('expires_at', '>', at);
