import { newestFirst, type Page, toJson } from '../db/builder.ts';
import type { Columns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { AuditEntry } from '../http/audit.ts';
import { firstIdAt, UUID } from '../process/uuid.ts';
import { FIND_SUBJECTS, LIST_ABOUT } from './audit.statements.ts';
import type { StoredAuditEntry } from './audit.ts';

interface AuditFilter extends Page {
  /** Id or name of a key. */
  actor: string | null;
  /** Id, slug, serial number or name. */
  subject: string | null;
  from: Date | null;
  /** Exclusive. */
  to: Date | null;
}

/** The id of a row contains its time. */
interface TimedEntryRow extends Columns<StoredAuditEntry> {
  organization_id: string;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    audit_entries: Omit<TimedEntryRow, 'at'>;
  }
}

const toEntry = (row: TimedEntryRow): StoredAuditEntry => ({
  id: row.id,
  at: row.at,
  keyId: row.key_id,
  actorName: row.actor_name,
  action: row.action,
  subject: row.subject,
  before: row.before,
  after: row.after,
});

/** Devices whose changes are found by one name, which all devices of an organization may share. */
const DEVICES_MAX = 20;
/** Latest alerts, and latest jobs, of these devices. */
const OF_DEVICES_MAX = 1_000;

interface Subjects {
  subjects: string[];
  jobIds: string[];
  /** Subjects of the changes that began these jobs. */
  startsOf: string[];
}

export type AuditRepository = ReturnType<typeof createAuditRepository>;

export function createAuditRepository(sql: Database) {
  async function findSubjects(organizationId: string, name: string): Promise<Subjects> {
    if (UUID.test(name)) return { subjects: [name], jobIds: [], startsOf: [] };
    const bindings = { organizationId, name, devicesMax: DEVICES_MAX, ofDevicesMax: OF_DEVICES_MAX };
    const [found] = await query<Subjects>(sql, FIND_SUBJECTS, bindings);
    return found as Subjects;
  }

  async function listAbout(organizationId: string, name: string, { actor, from, to, ...page }: AuditFilter) {
    const isId = actor !== null && UUID.test(actor);
    return query<TimedEntryRow>(sql, LIST_ABOUT, {
      organizationId,
      ...(await findSubjects(organizationId, name)),
      ...page,
      // The partitions of the table are ranges of ids.
      from: from && firstIdAt(from),
      to: to && firstIdAt(to),
      keyId: isId ? actor : null,
      actorName: isId ? null : actor,
    });
  }

  return {
    async insert({ organizationId, actor, action, subject, before, after }: AuditEntry): Promise<void> {
      await sql('audit_entries').insert({
        organization_id: organizationId,
        key_id: actor.keyId,
        actor_name: actor.name,
        action,
        subject,
        before: toJson(before as object | null),
        after: toJson(after as object | null),
      });
    },

    /** Changes by these operations of exactly this subject, newest first. */
    async listOf(
      organizationId: string,
      { subject, actions, limit }: { subject: string; actions: readonly string[]; limit: number },
    ): Promise<StoredAuditEntry[]> {
      const rows = await sql('audit_entries')
        .where({ organization_id: organizationId, subject })
        .whereIn('action', actions)
        .select<TimedEntryRow[]>('*', sql.raw('uuid_extract_timestamp(id) as at'))
        .modify(newestFirst, { before: null, limit });
      return rows.map(toEntry);
    },

    /** Newest first, along an index that begins with the filtered columns. */
    async list(organizationId: string, filter: AuditFilter): Promise<StoredAuditEntry[]> {
      const { actor, subject, from, to, ...page } = filter;
      if (subject !== null) return (await listAbout(organizationId, subject, filter)).map(toEntry);
      const entries = sql('audit_entries').where({ organization_id: organizationId });
      if (actor !== null) entries.where(UUID.test(actor) ? { key_id: actor } : { actor_name: actor });
      if (from) entries.where('id', '>=', firstIdAt(from));
      if (to) entries.where('id', '<', firstIdAt(to));
      const rows = await entries
        .select<TimedEntryRow[]>('*', sql.raw('uuid_extract_timestamp(id) as at'))
        .modify(newestFirst, page);
      return rows.map(toEntry);
    },
  };
}
