import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { Role } from '../http/role.ts';
import type { Session, SessionRef } from './session.ts';

export interface NewLink extends SessionRef {
  hash: Buffer;
  name: string;
  role: Role;
  keyId: string | null;
  expiresAt: Date;
}

export type SessionsRepository = ReturnType<typeof createSessionsRepository>;

const COLUMNS = `s.organization_id as "organizationId", s.id, s.name, s.role, s.key_id as "keyId",
  (select o.name from organizations o where o.id = s.organization_id) as "organizationName"`;
/** Neither link nor session outlives the key that asked for it. */
const KEY_WORKS = `(s.key_id is null or exists (
    select from api_keys k where k.organization_id = s.organization_id and k.id = s.key_id
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > ?::timestamptz)
  ))`;

export function createSessionsRepository(sql: Sql) {
  return {
    async newId(): Promise<string> {
      const [row] = await query<{ id: string }>(sql, 'select uuidv7() as id');
      return (row as { id: string }).id;
    },

    /** Also deletes the organization's expired links and sessions. */
    async insert({ organizationId, id, hash, name, role, keyId, expiresAt }: NewLink): Promise<void> {
      await query(
        sql,
        `with over as (
           delete from operator_sessions
           where organization_id = ? and coalesce(expires_at, link_expires_at) < now()
         )
         insert into operator_sessions (organization_id, id, link_hash, name, role, key_id, link_expires_at)
         values (?, ?, ?, ?, ?, ?, ?::timestamptz)`,
        [organizationId, organizationId, id, hash, name, role, keyId, expiresAt.toISOString()],
      );
    },

    /** Of a link that can still be used. */
    async findLink(ref: SessionRef, hash: Buffer, now: Date): Promise<Session | null> {
      const [row] = await query<Session>(
        sql,
        `select ${COLUMNS} from operator_sessions s
         where s.organization_id = ? and s.id = ? and s.link_hash = ? and s.started_at is null
           and s.link_expires_at > ?::timestamptz and ${KEY_WORKS}`,
        [ref.organizationId, ref.id, hash, now.toISOString(), now.toISOString()],
      );
      return row ?? null;
    },

    /** Uses the link up. */
    async start(ref: SessionRef, hash: Buffer, span: { now: Date; until: Date }): Promise<Session | null> {
      const now = span.now.toISOString();
      const [row] = await query<Session>(
        sql,
        `update operator_sessions s set started_at = ?::timestamptz, expires_at = ?::timestamptz
         where s.organization_id = ? and s.id = ? and s.link_hash = ? and s.started_at is null
           and s.link_expires_at > ?::timestamptz and ${KEY_WORKS}
         returning ${COLUMNS}`,
        [now, span.until.toISOString(), ref.organizationId, ref.id, hash, now, now],
      );
      return row ?? null;
    },

    async findActive(ref: SessionRef, now: Date): Promise<Session | null> {
      const [row] = await query<Session>(
        sql,
        `select ${COLUMNS} from operator_sessions s
         where s.organization_id = ? and s.id = ? and s.expires_at > ?::timestamptz and ${KEY_WORKS}`,
        [ref.organizationId, ref.id, now.toISOString(), now.toISOString()],
      );
      return row ?? null;
    },

    async remove({ organizationId, id }: SessionRef): Promise<void> {
      await query(sql, 'delete from operator_sessions where organization_id = ? and id = ?', [
        organizationId,
        id,
      ]);
    },
  };
}
