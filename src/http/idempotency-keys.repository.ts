import { acrossOrganizations } from '../db/builder.ts';
import type { Columns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { workOnDueRows } from '../db/due-rows.ts';
import type { IdempotencyRequest, IdempotencyStore } from './idempotency.ts';

const KEPT = `interval '24 hours'`;
const REMOVED_AT_ONCE = 1_000;
const REMOVE_EXPIRED = `
  with locked as (
    select k.organization_id, k.key from unnest(:organizationIds::uuid[], :ids::text[]) as n (organization_id, key)
    join idempotency_keys k on k.organization_id = n.organization_id and k.key = n.key
    where created_at <= now() - ${KEPT} for update of k skip locked
  )
  delete from idempotency_keys k using locked l where k.organization_id = l.organization_id and k.key = l.key returning 1`;

interface IdempotencyKeyRow extends Columns<IdempotencyRequest> {
  status_code: number;
  body: Buffer;
  location: string | null;
  created_at: Date;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    idempotency_keys: IdempotencyKeyRow;
  }
}

/** Encrypts stored answers, because one may contain a secret that is shown only once. */
interface AnswerBox {
  seal(text: string, request: IdempotencyRequest): Buffer;
  open(sealed: Buffer, request: IdempotencyRequest): string;
}

/** Runs in the transaction of the request. */
export function createIdempotencyKeysRepository(box: AnswerBox): IdempotencyStore {
  return {
    /** Held until the transaction ends, so the next holder of the lock finds its outcome. */
    async lock({ sql }, { organizationId, key }) {
      const name = `idempotency:${organizationId}:${key}`;
      const { locked } = await sql
        .select(sql.raw('pg_try_advisory_xact_lock(hashtextextended(?, 0)) as locked', [name]))
        .first();
      return locked;
    },

    async find({ sql }, request) {
      const row = await sql('idempotency_keys')
        .where({ organization_id: request.organizationId, key: request.key })
        .where('created_at', '>', sql.raw(`now() - ${KEPT}`))
        .first();
      if (!row) return null;
      const { fingerprint, status_code: status, location } = row;
      return { fingerprint, answer: { status, location, body: box.open(row.body, request) } };
    },

    /** Called under the lock and after `find`: a row that still exists has expired and is replaced. */
    async insert({ sql }, request, { status, body, location }) {
      await sql('idempotency_keys')
        .insert({
          organization_id: request.organizationId,
          key: request.key,
          fingerprint: request.fingerprint,
          status_code: status,
          body: box.seal(body, request),
          location,
          created_at: sql.fn.now(),
        })
        .onConflict(['organization_id', 'key'])
        .merge(['fingerprint', 'status_code', 'body', 'location', 'created_at']);
    },
  };
}

/** Works in batches that skip locked rows, so no statement runs long or waits. */
export async function removeExpiredAnswers(sql: Database): Promise<number> {
  let removed = 0;
  for (;;) {
    const list = acrossOrganizations(sql('idempotency_keys'))
      .where('created_at', '<=', sql.raw(`now() - ${KEPT}`))
      .orderBy('created_at')
      .limit(REMOVED_AT_ONCE)
      .select({ organizationId: 'organization_id', id: 'key' });
    const batch = await workOnDueRows(sql, { list, work: REMOVE_EXPIRED });
    removed += batch.length;
    if (batch.length < REMOVED_AT_ONCE) return removed;
  }
}
