import { newestFirst, type Page, toJson } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import type { AuditEntry } from '../http/audit.ts';
import { firstIdAt, UUID } from '../process/uuid.ts';
import type { StoredAuditEntry } from './audit.ts';

interface AuditFilter extends Page {
  /** Id or name of a key. */
  actor: string | null;
  subject: string | null;
  from: Date | null;
  /** Exclusive. */
  to: Date | null;
}

interface AuditEntryRow {
  organization_id: string;
  id: string;
  key_id: string | null;
  actor_name: string;
  action: string;
  subject: string;
  before: unknown;
  after: unknown;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    audit_entries: AuditEntryRow;
  }
}

/** The id of a row contains its time. */
type TimedEntryRow = AuditEntryRow & { at: Date };

const toEntry = (row: TimedEntryRow): StoredAuditEntry => ({
  id: row.id,
  at: row.at,
  keyId: row.key_id,
  actorName: row.actor_name,
  action: row.action,
  subject: row.subject,
  before: row.before as object | null,
  after: row.after as object | null,
});

export type AuditRepository = ReturnType<typeof createAuditRepository>;

export function createAuditRepository(sql: Database) {
  return {
    async insert({ organizationId, actor, action, subject, before, after }: AuditEntry): Promise<void> {
      await sql('audit_entries').insert({
        organization_id: organizationId,
        key_id: actor.keyId,
        actor_name: actor.name,
        action,
        subject,
        before: toJson(before),
        after: toJson(after),
      });
    },

    /** Newest first, along an index that begins with the filtered columns. */
    async list(
      organizationId: string,
      { actor, subject, from, to, ...page }: AuditFilter,
    ): Promise<StoredAuditEntry[]> {
      const entries = sql('audit_entries').where({ organization_id: organizationId });
      if (actor !== null) entries.where(UUID.test(actor) ? { key_id: actor } : { actor_name: actor });
      if (subject !== null) entries.where({ subject });
      // The partitions of the table are ranges of ids.
      if (from) entries.where('id', '>=', firstIdAt(from));
      if (to) entries.where('id', '<', firstIdAt(to));
      const rows = await entries
        .select<TimedEntryRow[]>('*', sql.raw('uuid_extract_timestamp(id) as at'))
        .modify(newestFirst, page);
      return rows.map(toEntry);
    },
  };
}
