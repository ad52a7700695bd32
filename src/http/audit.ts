/** What a row of the audit trail holds, and how a route says so. */
import type Joi from 'joi';
import type { Database } from '../db/database.ts';
import { UUID } from '../process/uuid.ts';

/** What GET shows of one thing, read in any transaction; null when it is not there. */
export interface Shown {
  schema: Joi.Schema;
  find(sql: Database, organizationId: string, id: string): Promise<unknown>;
}

/** The body of an answer, as the handler returns it. */
// biome-ignore lint/suspicious/noExplicitAny: each route names fields of its own answer
type AnswerBody = any;

export interface Audit {
  /** The name of a path parameter, or what the answer to a creation names the new thing by. */
  subject: string | ((answer: AnswerBody) => string);
  /** Read before and after the change. */
  shown?: Shown;
  /** Kept of the answer where GET shows nothing that the change is seen by. Never a secret. */
  after?(answer: AnswerBody): unknown;
  /** Whether GET shows it differently is given, too. Default: whatever was answered is a change. */
  isChange?(answer: AnswerBody, isShownOtherwise: boolean): boolean;
}

/** `keyId` is null for the command line. */
export interface Actor {
  keyId: string | null;
  name: string;
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

/** An id as the row has it, however the caller spelled it. */
export const toId = (name: string): string => (UUID.test(name) ? name.toLowerCase() : name);
