import type { Knex } from 'knex';
import { newestFirst, type Page, toJson } from '../db/builder.ts';
import type { Columns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { AuditEntry } from '../http/audit.ts';
import { firstIdAt, UUID } from '../process/uuid.ts';
import { FIND_SUBJECTS } from './audit.statements.ts';
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

type EntryFilter = Omit<AuditFilter, 'subject'>;

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

  /** A page of the entries that match, newest first, along an index that begins with the filtered columns. */
  function matching(organizationId: string, { actor, from, to, ...page }: EntryFilter): Knex.QueryBuilder {
    const entries = sql('audit_entries').where({ organization_id: organizationId });
    if (actor !== null) entries.where(UUID.test(actor) ? { key_id: actor } : { actor_name: actor });
    // The partitions of the table are ranges of ids.
    if (from) entries.where('id', '>=', firstIdAt(from));
    if (to) entries.where('id', '<', firstIdAt(to));
    return entries.modify(newestFirst, page);
  }

  /** The same of these subjects, each of which is looked up by the index of subjects. */
  function matchingAbout(
    organizationId: string,
    { subjects, jobIds, startsOf }: Subjects,
    filter: EntryFilter,
  ): Knex.QueryBuilder {
    const ofEach = (names: string[], entries: Knex.QueryBuilder) =>
      sql
        .from(sql.raw('unnest(?::text[]) as s (subject)', [names]))
        .joinRaw('cross join lateral :entries as found', { entries: entries.whereRaw('subject = s.subject') })
        .select('found.*');
    const entries = matching(organizationId, filter);
    const starts = matching(organizationId, filter).whereRaw(
      `(after ->> 'jobId' = any(?::text[]) or action = 'updateGroup')`,
      [jobIds],
    );
    return sql
      .from(sql.unionAll([ofEach(subjects, entries), ofEach(startsOf, starts)]).as('e'))
      .distinctOn('id')
      .modify(newestFirst, { before: null, limit: filter.limit });
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

    /** Newest first. */
    async list(organizationId: string, { subject, ...filter }: AuditFilter): Promise<StoredAuditEntry[]> {
      const entries =
        subject === null
          ? matching(organizationId, filter)
          : matchingAbout(organizationId, await findSubjects(organizationId, subject), filter);
      const rows = await entries.select<TimedEntryRow[]>('*', sql.raw('uuid_extract_timestamp(id) as at'));
      return rows.map(toEntry);
    },
  };
}
