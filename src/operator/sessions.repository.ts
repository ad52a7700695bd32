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
/** As the API shows it. */
export interface ActiveSession {
  id: string;
  name: string;
  role: Role;
  keyId: string | null;
  startedAt: Date;
  expiresAt: Date;
}

const SHOWN = `s.id, s.name, s.role, s.key_id as "keyId", s.started_at as "startedAt", s.expires_at as "expiresAt"`;
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** Neither link nor session outlives the key that asked for it. */
const KEY_WORKS = `(s.key_id is null or exists (
    select from api_keys k where k.organization_id = s.organization_id and k.id = s.key_id
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > ?::timestamptz)
  ))`;

/** Of an organization; as many links that were not used yet. */
const SESSIONS_MAX = 200;

export function createSessionsRepository(sql: Sql) {
  return {
    async newId(): Promise<string> {
      const [row] = await query<{ id: string }>(sql, 'select uuidv7() as id');
      return (row as { id: string }).id;
    },

    /** Also deletes the organization's expired links and sessions, and its oldest links where there are too many. */
    async insert({ organizationId, id, hash, name, role, keyId, expiresAt }: NewLink): Promise<void> {
      await query(
        sql,
        `with over as (
           delete from operator_sessions
           where organization_id = ? and (coalesce(expires_at, link_expires_at) < now() or id in (
             select id from operator_sessions where organization_id = ? and started_at is null
             order by id desc offset ?
           ))
         )
         insert into operator_sessions (organization_id, id, link_hash, name, role, key_id, link_expires_at)
         values (?, ?, ?, ?, ?, ?, ?::timestamptz)`,
        [
          ...[organizationId, organizationId, SESSIONS_MAX - 1],
          ...[organizationId, id, hash, name, role, keyId, expiresAt.toISOString()],
        ],
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

    /** Uses the link up. The oldest sessions of the organization end where there are too many. */
    async start(ref: SessionRef, hash: Buffer, span: { now: Date; until: Date }): Promise<Session | null> {
      const now = span.now.toISOString();
      const { organizationId } = ref;
      const [row] = await query<Session>(
        sql,
        `with begun as (
           update operator_sessions s set started_at = ?::timestamptz, expires_at = ?::timestamptz
           where s.organization_id = ? and s.id = ? and s.link_hash = ? and s.started_at is null
             and s.link_expires_at > ?::timestamptz and ${KEY_WORKS}
           returning ${COLUMNS}
         ), ended as (
           delete from operator_sessions
           where organization_id = ? and exists (select from begun) and id in (
             select id from operator_sessions where organization_id = ? and started_at is not null
             order by started_at desc, id desc offset ?
           )
         )
         select * from begun`,
        [
          ...[now, span.until.toISOString(), organizationId, ref.id, hash, now, now],
          ...[organizationId, organizationId, SESSIONS_MAX - 1],
        ],
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

    /** Newest first; without those that have ended. */
    listActive(
      organizationId: string,
      { now, before, limit }: { now: Date; before: string | null; limit: number },
    ): Promise<ActiveSession[]> {
      return query(
        sql,
        `select ${SHOWN} from operator_sessions s
         where s.organization_id = ? and s.id < ? and s.expires_at > ?::timestamptz and ${KEY_WORKS}
         order by s.id desc limit ?`,
        [organizationId, before ?? LAST_ID, now.toISOString(), now.toISOString(), limit],
      );
    },

    async findShown(ref: SessionRef, now: Date): Promise<ActiveSession | null> {
      const [row] = await query<ActiveSession>(
        sql,
        `select ${SHOWN} from operator_sessions s
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
