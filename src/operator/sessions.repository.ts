import { newestFirst, nextId, type Page } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import type { Role } from '../http/role.ts';
import type { Session, SessionRef } from './session.ts';

export interface NewLink extends SessionRef {
  hash: Buffer;
  name: string;
  role: Role;
  keyId: string | null;
  invitedBy: string | null;
  expiresAt: Date;
}

/** As shown by the API. */
export interface ActiveSession extends Pick<NewLink, 'name' | 'role' | 'keyId' | 'expiresAt'> {
  id: string;
  startedAt: Date;
}

interface SessionRow {
  organization_id: string;
  id: string;
  link_hash: Buffer;
  name: string;
  role: Role;
  key_id: string | null;
  invited_by: string | null;
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

  async function findLink(
    { organizationId, id }: SessionRef,
    hash: Buffer,
    now: Date,
  ): Promise<Session | null> {
    const row = await working(organizationId, now)
      .where({ 's.id': id, 's.link_hash': hash, 's.started_at': null })
      .where('s.link_expires_at', '>', now)
      .first();
    return row ? toSession(row) : null;
  }

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
    findLink,

    /** Makes the link invalid. The oldest sessions of the organization beyond the limit end. */
    async start(
      ref: SessionRef,
      hash: Buffer,
      { now, until }: { now: Date; until: Date },
    ): Promise<Session | null> {
      const session = await findLink(ref, hash, now);
      if (!session) return null;
      const own = () => sql('operator_sessions').where({ organization_id: ref.organizationId });
      const { invitedBy } = session;
      const inviter = invitedBy === null ? null : await own().where({ id: invitedBy }).first('expires_at');
      const end = sql.raw('least(?::timestamptz, ?::timestamptz)', [until, inviter?.expires_at ?? null]);
      const begun = await own()
        .where({ id: ref.id, started_at: null })
        .update({ started_at: now, expires_at: end });
      if (begun === 0) return null;
      const newest = own()
        .whereNotNull('started_at')
        .orderBy([
          { column: 'started_at', order: 'desc' },
          { column: 'id', order: 'desc' },
        ]);
      await own().whereIn('id', newest.offset(SESSIONS_MAX).select('id')).delete();
      return session;
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
