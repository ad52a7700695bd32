/**
 * Every change by a customer writes one row of the audit trail, in the transaction of the change. The content
 * of the row is data of the route. A refused request throws before the row is written, and a repeat that is
 * answered from a stored answer never gets here.
 */
import { isDeepStrictEqual } from 'node:util';
import { lockName } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { type Transact, type Transaction, transactAs } from '../db/transaction.ts';
import type { Audit, RecordAudit, Shown } from './audit.ts';
import { compileProjection } from './project-response.ts';
import { actorOf, type Caller, type Reply, type Route } from './route.ts';

interface AuditedRequest {
  caller: Caller;
  params: unknown;
}

/** Runs a handler, and writes its row. */
type WithAudit = (
  request: AuditedRequest,
  transact: Transact,
  run: (transact: Transact) => Promise<Reply>,
) => Promise<Reply>;

/**
 * The whole handler is one transaction, unless it reads a raw body, because a slow client would keep the
 * transaction open: then each transaction of the handler writes a row, from the result of its work.
 */
export function createAudit(definition: Route, record: RecordAudit): WithAudit {
  if (!definition.audit) return (_, transact, run) => run(transact);
  const action = definition.operationId;
  const recorded = createRecorded(action, definition.audit, record);
  return (request, transact, run) => {
    const asCaller = transactAs({ actor: actorOf(request.caller), action }, transact);
    const whole = (tx: Transaction) => run((work) => work(tx));
    return definition.rawBody
      ? run((work) => asCaller((tx) => recorded(tx, request, work, (result) => result)))
      : asCaller((tx) => recorded(tx, request, whole, ({ body }) => body));
  };
}

/** Runs the work, and writes the row from the result of `answerOf`. */
function createRecorded(action: string, audit: Audit, record: RecordAudit) {
  const { subject: naming, shown, after: afterOf, isChange = () => true } = audit;
  const find = shown && projected(shown);
  return async <T>(
    tx: Transaction,
    { caller, params }: AuditedRequest,
    work: (tx: Transaction) => Promise<T>,
    answerOf: (result: T) => unknown,
  ): Promise<T> => {
    const { organizationId } = caller;
    // Ids, slugs and serial numbers are compared without case.
    const named =
      typeof naming === 'string' ? ((params as Record<string, string>)[naming] ?? '').toLowerCase() : null;
    if (find && named !== null) await lockSubject(tx.sql, organizationId, named);
    const before = find && named !== null ? await find(tx.sql, organizationId, named) : null;
    const result = await work(tx);
    const answer = answerOf(result);
    const subject = typeof naming === 'string' ? (named as string) : naming(answer);
    const after = find ? await find(tx.sql, organizationId, subject) : (afterOf?.(answer) ?? null);
    if (!isChange(answer, compare(before, after))) return result;
    await record(tx.sql, { organizationId, actor: actorOf(caller), action, subject, before, after });
    return result;
  };
}

const compare =
  (before: unknown, after: unknown) =>
  (...fields: string[]): boolean => {
    const partOf = (view: unknown) =>
      fields.length === 0 ? view : fields.map((field) => (view as Record<string, unknown> | null)?.[field]);
    return !isDeepStrictEqual(partOf(before), partOf(after));
  };

function projected({ schema, find }: Shown): Shown['find'] {
  const project = compileProjection(schema);
  return async (sql, organizationId, id) => project((await find(sql, organizationId, id)) ?? null);
}

/**
 * Serializes changes of one thing, so that `before` shows the result of the previous one. It is the first
 * lock of its transaction after that of the Idempotency-Key, which never waits, so it cannot be part of a
 * deadlock.
 */
const lockSubject = (sql: Database, organizationId: string, subject: string) =>
  lockName(sql, `audit:${organizationId}:${subject}`);
