import { newestFirst, nextId, type Page } from '../db/builder.ts';
import type { Columns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { Session, SessionRef } from './session.ts';

export interface NewLink extends Omit<Session, 'organizationName'> {
  hash: Buffer;
  invitedBy: string | null;
  expiresAt: Date;
}

/** As shown by the API. */
export interface ActiveSession extends Pick<NewLink, 'id' | 'name' | 'role' | 'keyId' | 'expiresAt'> {
  startedAt: Date;
}

interface SessionRow extends Columns<Omit<NewLink, 'hash' | 'expiresAt'>> {
  link_hash: Buffer;
  link_expires_at: Date;
  started_at: Date | null;
  expires_at: Date | null;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    operator_sessions: SessionRow;
  }
}

type SessionOfOrganization = SessionRow & { organization_name: string };

const toSession = (row: SessionOfOrganization): Session => ({
  organizationId: row.organization_id,
  id: row.id,
  organizationName: row.organization_name,
  name: row.name,
  role: row.role,
  keyId: row.key_id,
  invitedBy: row.invited_by,
});

const toActiveSession = (row: SessionRow): ActiveSession => ({
  id: row.id,
  name: row.name,
  role: row.role,
  keyId: row.key_id,
  startedAt: row.started_at as Date,
  expiresAt: row.expires_at as Date,
});

/** Neither link nor session outlives the key or the session that asked for it. The row goes with that of the session. */
const STILL_WORKS = `(s.key_id is null or exists (
    select from api_keys k where k.organization_id = s.organization_id and k.id = s.key_id
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > :now)
  )) and (s.invited_by is null or exists (
    select from operator_sessions i where i.organization_id = s.organization_id and i.id = s.invited_by
      and i.expires_at > :now
  ))`;

/** Makes a link invalid, and ends the oldest sessions beyond `:others`. */
const START_SESSION = `
  with begun as (
    update operator_sessions s set started_at = :now, expires_at = least(:until, (
      select i.expires_at from operator_sessions i
      where i.organization_id = s.organization_id and i.id = s.invited_by
    ))
    where s.organization_id = :organizationId and s.id = :id and s.link_hash = :hash and s.started_at is null
      and s.link_expires_at > :now and ${STILL_WORKS}
    returning s.*
  ), ended as (
    delete from operator_sessions
    where organization_id = :organizationId and exists (select from begun) and id in (
      select id from operator_sessions where organization_id = :organizationId and started_at is not null
      order by started_at desc, id desc offset :others
    )
  )
  select begun.*, o.name as organization_name from begun join organizations o on o.id = begun.organization_id`;

/** Per organization; the same limit applies to unused links. */
const SESSIONS_MAX = 200;

export type SessionsRepository = ReturnType<typeof createSessionsRepository>;

export function createSessionsRepository(sql: Database) {
  const working = (organizationId: string, now: Date) =>
    sql('operator_sessions as s')
      .join('organizations as o', 'o.id', 's.organization_id')
      .where({ 's.organization_id': organizationId })
      .whereRaw(STILL_WORKS, { now })
      .select<SessionOfOrganization[]>('s.*', { organization_name: 'o.name' });
  const active = (organizationId: string, now: Date) =>
    working(organizationId, now).where('s.expires_at', '>', now);

  return {
    newId: (): Promise<string> => nextId(sql),

    /** Also deletes the organization's expired links and sessions, and its oldest links beyond the limit. */
    async insert({ organizationId, id, ...link }: NewLink): Promise<void> {
      const own = () => sql('operator_sessions').where({ organization_id: organizationId });
      const newest = own().whereNull('started_at').orderBy('id', 'desc');
      await own()
        .where((session) =>
          session
            .whereRaw('coalesce(expires_at, link_expires_at) < now()')
            .orWhereIn('id', newest.offset(SESSIONS_MAX - 1).select('id')),
        )
        .delete();
      await sql('operator_sessions').insert({
        organization_id: organizationId,
        id,
        link_hash: link.hash,
        name: link.name,
        role: link.role,
        key_id: link.keyId,
        invited_by: link.invitedBy,
        link_expires_at: link.expiresAt,
      });
    },

    /** The session of a link that can still be used. */
    async findLink({ organizationId, id }: SessionRef, hash: Buffer, now: Date): Promise<Session | null> {
      const row = await working(organizationId, now)
        .where({ 's.id': id, 's.link_hash': hash, 's.started_at': null })
        .where('s.link_expires_at', '>', now)
        .first();
      return row ? toSession(row) : null;
    },

    /** Makes the link invalid. The oldest sessions of the organization beyond the limit end. */
    async start(ref: SessionRef, hash: Buffer, span: { now: Date; until: Date }): Promise<Session | null> {
      const bindings = { ...ref, hash, ...span, others: SESSIONS_MAX - 1 };
      const [row] = await query<SessionOfOrganization>(sql, START_SESSION, bindings);
      return row ? toSession(row) : null;
    },

    async findActive({ organizationId, id }: SessionRef, now: Date): Promise<Session | null> {
      const row = await active(organizationId, now).where('s.id', id).first();
      return row ? toSession(row) : null;
    },

    /** Newest first; without ended ones. */
    async listActive(
      organizationId: string,
      { now, ...page }: Page & { now: Date },
    ): Promise<ActiveSession[]> {
      const rows = await active(organizationId, now).modify(newestFirst, page, 's.id');
      return rows.map(toActiveSession);
    },

    async findShown({ organizationId, id }: SessionRef, now: Date): Promise<ActiveSession | null> {
      const row = await active(organizationId, now).where('s.id', id).first();
      return row ? toActiveSession(row) : null;
    },

    async remove({ organizationId, id }: SessionRef): Promise<void> {
      await sql('operator_sessions').where({ organization_id: organizationId, id }).delete();
    },
  };
}
