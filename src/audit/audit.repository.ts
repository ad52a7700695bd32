import type { Database } from '../db/database.ts';
import { firstIdAt } from '../db/partitions.ts';
import { query } from '../db/query.ts';
import type { AuditEntry } from '../http/audit.ts';
import type { StoredAuditEntry } from './audit.ts';

export interface AuditFilter {
  /** Id or name of a key. */
  actor: string | null;
  subject: string | null;
  from: Date | null;
  /** Not included. */
  to: Date | null;
  /** Ids before this one. */
  before: string | null;
  limit: number;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export type AuditRepository = ReturnType<typeof createAuditRepository>;

export function createAuditRepository(sql: Database) {
  return {
    async insert({ organizationId, actor, action, subject, before, after }: AuditEntry): Promise<void> {
      await query(
        sql,
        `insert into audit_entries (organization_id, key_id, actor_name, action, subject, before, after)
         values (?, ?, ?, ?, ?, ?::json, ?::json)`,
        [organizationId, actor.keyId, actor.name, action, subject, json(before), json(after)],
      );
    },

    /** Newest first, along an index that begins with what is filtered by. */
    list(organizationId: string, filter: AuditFilter): Promise<StoredAuditEntry[]> {
      const bounds = boundsOf(filter);
      return query(
        sql,
        `select id, uuid_extract_timestamp(id) as at, key_id as "keyId", actor_name as "actorName", action, subject,
           before, after
         from audit_entries
         where ${['organization_id = ?', ...bounds.map(({ condition }) => condition)].join(' and ')}
         order by id desc limit ?`,
        [organizationId, ...bounds.map(({ value }) => value), filter.limit],
      );
    },
  };
}

const json = (value: unknown) => (value === null || value === undefined ? null : JSON.stringify(value));

interface Bound {
  condition: string;
  value: string;
}

function boundsOf({ actor, subject, from, to, before }: AuditFilter): Bound[] {
  const bounds: Bound[] = [];
  const add = (condition: string, value: string) => bounds.push({ condition, value });
  if (actor !== null) add(UUID.test(actor) ? 'key_id = ?::uuid' : 'actor_name = ?', actor);
  if (subject !== null) add('subject = ?', subject);
  // The ids of a table's rows tell their times, and its partitions are spans of ids.
  if (from) add('id >= ?::uuid', firstIdAt(notBeforeEpoch(from)));
  if (to) add('id < ?::uuid', firstIdAt(notBeforeEpoch(to)));
  if (before !== null) add('id < ?::uuid', before);
  return bounds;
}

/** The times in ids start in 1970. */
const notBeforeEpoch = (at: Date) => new Date(Math.max(0, at.getTime()));
