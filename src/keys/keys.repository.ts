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
  tokenPreview: string;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

const COLUMNS = `k.id, k.organization_id as "organizationId", o.name as "organizationName", k.name, k.kind,
  case k.kind when 'customer' then coalesce(k.role, 'admin') end as role, k.token_preview as "tokenPreview",
  k.created_at as "createdAt", k.expires_at as "expiresAt", k.revoked_at as "revokedAt"`;
const FROM = 'from api_keys k join organizations o on o.id = k.organization_id';

export interface NewKey {
  organizationId: string;
  name?: string | null;
  kind: KeyKind;
  /** None for device keys. */
  role?: Role | null;
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

    list(organizationName: string | null): Promise<KeyRecord[]> {
      return query(
        sql,
        `select ${COLUMNS} ${FROM} where ?::text is null or o.name = ? order by o.name, k.id`,
        [organizationName, organizationName],
      );
    },

    /** One that is not revoked. */
    async findOwn(organizationId: string, id: string): Promise<KeyRecord | null> {
      const [row] = await query<KeyRecord>(
        sql,
        `select ${COLUMNS} ${FROM} where k.organization_id = ? and k.id = ? and k.revoked_at is null`,
        [organizationId, id],
      );
      return row ?? null;
    },

    /** Newest first; without revoked ones. */
    listOwn(
      organizationId: string,
      { before, limit }: { before: string | null; limit: number },
    ): Promise<KeyRecord[]> {
      return query(
        sql,
        `select ${COLUMNS} ${FROM}
         where k.organization_id = ? and k.revoked_at is null ${before === null ? '' : 'and k.id < ?'}
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
         where organization_id = ? and kind = 'customer' and coalesce(role, 'admin') = 'admin'
           and revoked_at is null and (expires_at is null or expires_at > now())`,
        [organizationId],
      );
      return Number(row?.count);
    },

    async insert(key: NewKey): Promise<string> {
      const { organizationId, name = null, kind, role = null, hash, tokenPreview, expiresAt } = key;
      const [row] = await query<{ id: string }>(
        sql,
        `insert into api_keys (organization_id, name, kind, role, hash, token_preview, expires_at)
         values (?, ?, ?, ?, ?, ?, ?) returning id`,
        [organizationId, name, kind, role, hash, tokenPreview, expiresAt],
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

    async expireAt(id: string, at: Date): Promise<void> {
      await query(sql, 'update api_keys set expires_at = least(expires_at, ?::timestamptz) where id = ?', [
        at.toISOString(),
        id,
      ]);
    },
  };
}
