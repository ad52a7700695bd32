import type { Sql } from '../db/database.ts';
import { query, queryPrepared } from '../db/query.ts';
import type { KeyKind } from '../http/route.ts';

export interface KeyRecord {
  id: string;
  organizationId: string;
  organizationName: string;
  kind: KeyKind;
  tokenPreview: string;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

const COLUMNS = `k.id, k.organization_id as "organizationId", o.name as "organizationName", k.kind, k.token_preview as "tokenPreview",
  k.created_at as "createdAt", k.expires_at as "expiresAt", k.revoked_at as "revokedAt"`;
const FROM = 'from api_keys k join organizations o on o.id = k.organization_id';

export interface NewKey {
  organizationId: string;
  kind: KeyKind;
  hash: Buffer;
  tokenPreview: string;
  expiresAt: Date | null;
}

export type KeysRepository = ReturnType<typeof createKeysRepository>;

/**
 * A key is looked up before the organization is known, and only the command line lists keys: statements need not name
 * an organization.
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

    async insert({ organizationId, kind, hash, tokenPreview, expiresAt }: NewKey): Promise<string> {
      const [row] = await query<{ id: string }>(
        sql,
        `insert into api_keys (organization_id, kind, hash, token_preview, expires_at) values (?, ?, ?, ?, ?)
         returning id`,
        [organizationId, kind, hash, tokenPreview, expiresAt],
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
