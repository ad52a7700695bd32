/** What every page is given. */
import type { OperationInput } from '../http/operations.ts';
import type { PageRoute } from '../http/page-route.ts';
import type { Answers } from './answers.ts';
import type { LinksFor } from './form-links.ts';
import { SAID } from './forms.ts';
import type { Layout } from './layout.ts';
import type { Session } from './session.ts';

/** Calls an operation of the API for who is signed in. */
export type Ask = <Id extends keyof Answers>(
  session: Session,
  operationId: Id,
  input?: OperationInput,
) => Promise<Answers[Id]>;

export interface PageDeps {
  ask: Ask;
  layout: Layout;
  /** Links to forms that the role of a session may send. */
  linksFor: LinksFor;
  now(): Date;
}

export type OperatorPage = PageRoute<Session>;

/** The result of the last form: `done` names one of the sentences, and the address may hold any other name. */
export function noticeOf(query: URLSearchParams, more: Record<string, string> = {}): string | undefined {
  const done = query.get('done') ?? '';
  const sentences = { ...SAID, ...more };
  return Object.hasOwn(sentences, done) ? sentences[done] : undefined;
}

/** Of a query: only those that are given. */
export const given = (values: Record<string, string | null | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1])));
