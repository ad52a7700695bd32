/** Rows of the audit trail, and how a route describes its own. */
import type Joi from 'joi';
import type { Database } from '../db/database.ts';
import type { Actor } from '../db/transaction.ts';
import { UUID } from '../process/uuid.ts';

/** The view that GET shows of one thing, read in any transaction; null when the thing does not exist. */
export interface Shown {
  schema: Joi.Schema;
  find(sql: Database, organizationId: string, id: string): Promise<unknown>;
}

export const shownAs = <Thing>(
  schema: Joi.Schema,
  find: (...key: Parameters<Shown['find']>) => Promise<Thing | null>,
  view: (thing: Thing) => unknown,
): Shown => ({
  schema,
  async find(...key) {
    const thing = await find(...key);
    return thing && view(thing);
  },
});

/** The body of an answer, as the handler returns it. */
// biome-ignore lint/suspicious/noExplicitAny: each route names fields of its own answer
type AnswerBody = any;

/** Whether one of these fields, or any if none is named, is shown otherwise after the request. */
type Differs = (...fields: string[]) => boolean;

export interface Audit {
  /**
   * The name of a path parameter, or a function that reads the name of the new thing from the answer to a
   * creation.
   */
  subject: string | ((answer: AnswerBody) => string);
  /** Read before and after the change. */
  shown?: Shown;
  /** The part of the answer that is stored when GET does not show the change. Never a secret. */
  after?(answer: AnswerBody): unknown;
  /** Whether the request changed something; `differs` compares the two views. Default: always. */
  isChange?(answer: AnswerBody, differs: Differs): boolean;
}

export interface AuditEntry {
  organizationId: string;
  actor: Actor;
  action: string;
  subject: string;
  before: unknown;
  after: unknown;
}

export type RecordAudit = (sql: Database, entry: AuditEntry) => Promise<void>;

/** An id as stored, which the caller may spell differently. */
export const toId = (name: string): string => (UUID.test(name) ? name.toLowerCase() : name);
