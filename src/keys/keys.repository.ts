import type { Sql } from '../db/database.ts';
import { query, queryPrepared } from '../db/query.ts';
import type { Role } from '../http/role.ts';
import type { KeyKind } from '../http/route.ts';

export interface KeyRecord {
  id: string;
  organizationId: string;
  organizationName: string;
  /** Null: it was made without one. */
  name: string | null;
  kind: KeyKind;
  /** Null for device keys. */
  role: Role | null;
  /** Of the only device that the token is good for, in lower case; null: for all. */
  serialKey: string | null;
  /** It is good for all devices, and the organization wants a token for each. */
  isForbidden: boolean;
  tokenPreview: string;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

const COLUMNS = `k.id, k.organization_id as "organizationId", o.name as "organizationName", k.name, k.kind,
  k.role, k.serial_key as "serialKey",
  k.kind = 'device' and k.serial_key is null and o.requires_device_tokens as "isForbidden", k.token_preview as "tokenPreview",
  k.created_at as "createdAt", k.expires_at as "expiresAt", k.revoked_at as "revokedAt"`;
const FROM = 'from api_keys k join organizations o on o.id = k.organization_id';

export interface NewKey {
  organizationId: string;
  name?: string | null;
  kind: KeyKind;
  /** None for device keys. */
  role?: Role | null;
  /** The token is good for this serial number alone, in lower case. */
  serialKey?: string | null;
  hash: Buffer;
  tokenPreview: string;
  expiresAt: Date | null;
}

export type KeysRepository = ReturnType<typeof createKeysRepository>;

/**
 * A key is looked up before the organization is known, and the command line lists and ends keys of all organizations:
 * its statements do not name one.
 */
export function createKeysRepository(sql: Sql) {
  return {
    /** In the order of the hashes. */
    async findByHashes(hashes: Buffer[]): Promise<Array<KeyRecord | null>> {
      const rows = await queryPrepared<KeyRecord | { id: null }>(
        sql,
        'keys_find_by_hashes',
        `select ${COLUMNS} from unnest(?::bytea[]) with ordinality as h (hash, position)
         left join (api_keys k join organizations o on o.id = k.organization_id) on k.hash = h.hash
         order by h.position`,
        [hashes],
      );
      return rows.map((row) => (row.id === null ? null : row));
    },

    async find(id: string): Promise<KeyRecord | null> {
      const [row] = await query<KeyRecord>(sql, `select ${COLUMNS} ${FROM} where k.id = ?`, [id]);
      return row ?? null;
    },

    /** Without tokens of single devices. */
    list(organizationName: string | null): Promise<KeyRecord[]> {
      return query(
        sql,
        `select ${COLUMNS} ${FROM} where k.serial_key is null and (?::text is null or o.name = ?) order by o.name, k.id`,
        [organizationName, organizationName],
      );
    },

    /** One that is not revoked; without tokens of single devices. */
    async findOwn(organizationId: string, id: string): Promise<KeyRecord | null> {
      const [row] = await query<KeyRecord>(
        sql,
        `select ${COLUMNS} ${FROM} where k.organization_id = ? and k.id = ? and k.revoked_at is null
           and k.serial_key is null`,
        [organizationId, id],
      );
      return row ?? null;
    },

    /** Newest first; without revoked ones and tokens of single devices. */
    listOwn(
      organizationId: string,
      { before, limit }: { before: string | null; limit: number },
    ): Promise<KeyRecord[]> {
      return query(
        sql,
        `select ${COLUMNS} ${FROM}
         where k.organization_id = ? and k.revoked_at is null and k.serial_key is null ${before === null ? '' : 'and k.id < ?'}
         order by k.id desc limit ?`,
        [organizationId, ...(before === null ? [] : [before]), limit],
      );
    },

    async lockOrganization(id: string): Promise<void> {
      await query(sql, 'select 1 from organizations where id = ? for no key update', [id]);
    },

    /** Those that work at present. */
    async countAdmins(organizationId: string): Promise<number> {
      const [row] = await query<{ count: number }>(
        sql,
        `select count(*) as count from api_keys
         where organization_id = ? and role = 'admin' and serial_key is null
           and revoked_at is null and (expires_at is null or expires_at > now())`,
        [organizationId],
      );
      return Number(row?.count);
    },

    /** As many as `listOwn` has in all. */
    async countOwn(organizationId: string): Promise<number> {
      const [row] = await query<{ count: number }>(
        sql,
        `select count(*) as count from api_keys
         where organization_id = ? and serial_key is null and revoked_at is null`,
        [organizationId],
      );
      return Number(row?.count);
    },

    async insert(key: NewKey): Promise<string> {
      const {
        organizationId,
        name = null,
        kind,
        role = null,
        serialKey = null,
        hash,
        tokenPreview,
        expiresAt,
      } = key;
      const [row] = await query<{ id: string }>(
        sql,
        `insert into api_keys (organization_id, name, kind, role, serial_key, hash, token_preview, expires_at)
         values (?, ?, ?, ?, ?, ?, ?, ?) returning id`,
        [organizationId, name, kind, role, serialKey, hash, tokenPreview, expiresAt],
      );
      return (row as { id: string }).id;
    },

    /** False when there is no such key, or it was revoked before. */
    async revoke(id: string): Promise<boolean> {
      const rows = await query(
        sql,
        'update api_keys set revoked_at = now() where id = ? and revoked_at is null returning 1',
        [id],
      );
      return rows.length > 0;
    },

    /** Those that work, at that time at the latest. */
    async expireOfSerial(organizationId: string, serialKey: string, at: Date): Promise<void> {
      await query(
        sql,
        `update api_keys set expires_at = least(expires_at, ?::timestamptz)
         where organization_id = ? and serial_key = ? and revoked_at is null`,
        [at.toISOString(), organizationId, serialKey],
      );
    },

    /** False when none worked. */
    async revokeOfSerial(organizationId: string, serialKey: string, now: Date): Promise<boolean> {
      const rows = await query(
        sql,
        `update api_keys set revoked_at = now()
         where organization_id = ? and serial_key = ? and revoked_at is null
           and (expires_at is null or expires_at > ?::timestamptz) returning 1`,
        [organizationId, serialKey, now.toISOString()],
      );
      return rows.length > 0;
    },

    /** The newest one that works. */
    async findOfSerial(organizationId: string, serialKey: string, now: Date): Promise<KeyRecord | null> {
      const [row] = await query<KeyRecord>(
        sql,
        `select ${COLUMNS} ${FROM}
         where k.organization_id = ? and k.serial_key = ? and k.revoked_at is null
           and (k.expires_at is null or k.expires_at > ?::timestamptz)
         order by k.id desc limit 1`,
        [organizationId, serialKey, now.toISOString()],
      );
      return row ?? null;
    },

    async expireAt(id: string, at: Date): Promise<void> {
      await query(sql, 'update api_keys set expires_at = least(expires_at, ?::timestamptz) where id = ?', [
        at.toISOString(),
        id,
      ]);
    },
  };
}
