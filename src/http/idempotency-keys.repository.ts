import type { Sql } from '../db/database.ts';
import { eachOrganization, oneOrNone } from '../db/each-organization.ts';
import { query } from '../db/query.ts';
import type { IdempotencyRequest, IdempotencyStore } from './idempotency.ts';

const KEPT = `interval '24 hours'`;
const REMOVED_AT_ONCE = 1_000;
const EXPIRED = `select distinct organization_id as "organizationId" from idempotency_keys
  where created_at <= now() - ${KEPT}`;

interface StoredRow {
  fingerprint: Buffer;
  status: number;
  body: Buffer;
  location: string | null;
}

const nameOf = ({ organizationId, key }: IdempotencyRequest) => [organizationId, key];

/** Encrypts stored answers: one may contain a secret that is shown only once. */
export interface AnswerBox {
  seal(text: string, request: IdempotencyRequest): Buffer;
  open(sealed: Buffer, request: IdempotencyRequest): string;
}

/** Runs in the transaction of the request. */
export function createIdempotencyKeysRepository(box: AnswerBox): IdempotencyStore {
  return {
    /** Held until the transaction ends, so the next holder of the lock finds its outcome. */
    async lock({ sql }, request) {
      const [row] = await query<{ locked: boolean }>(
        sql,
        `select pg_try_advisory_xact_lock(hashtextextended('idempotency:' || ? || ':' || ?, 0)) as locked`,
        nameOf(request),
      );
      return row?.locked ?? false;
    },

    async find({ sql }, request) {
      const [row] = await query<StoredRow>(
        sql,
        `select fingerprint, status_code as status, body, location from idempotency_keys
         where organization_id = ? and key = ? and created_at > now() - ${KEPT}`,
        nameOf(request),
      );
      if (!row) return null;
      const { fingerprint, status, location } = row;
      return { fingerprint, answer: { status, location, body: box.open(row.body, request) } };
    },

    /** Called under the lock and after `find`: a row that still exists has expired and is replaced. */
    async insert({ sql }, request, { status, body, location }) {
      await query(
        sql,
        `insert into idempotency_keys (organization_id, key, fingerprint, status_code, body, location)
         values (?, ?, ?, ?, ?, ?)
         on conflict on constraint idempotency_keys_pkey do update
           set fingerprint = excluded.fingerprint, status_code = excluded.status_code, body = excluded.body,
             location = excluded.location, created_at = excluded.created_at`,
        [...nameOf(request), request.fingerprint, status, box.seal(body, request), location],
      );
    },
  };
}

/** In batches that skip locked rows, so no statement runs long or waits. */
export async function removeExpiredAnswers(sql: Sql): Promise<number> {
  let removed = 0;
  for (;;) {
    const batch = await eachOrganization(sql, { text: EXPIRED }, (organizationId) => {
      const own = organizationId === null ? '' : 'organization_id = ? and';
      return query(
        sql,
        `delete from idempotency_keys where ${own} (organization_id, key) in (
           select organization_id, key from idempotency_keys where ${own} created_at <= now() - ${KEPT}
           order by created_at limit ? for update skip locked
         ) returning 1`,
        [...oneOrNone(organizationId), ...oneOrNone(organizationId), REMOVED_AT_ONCE],
      );
    });
    removed += batch.length;
    if (batch.length < REMOVED_AT_ONCE) return removed;
  }
}
