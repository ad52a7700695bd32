/** What every page is given. */
import type { OperationInput } from '../http/operations.ts';
import type { PageRoute } from '../http/page-route.ts';
import type { Answers } from './answers.ts';
import type { Layout } from './layout.ts';
import type { Session } from './session.ts';

/** Calls an operation of the API for the signed-in person. */
export type Ask = <Id extends keyof Answers>(
  session: Session,
  operationId: Id,
  input?: OperationInput,
) => Promise<Answers[Id]>;

export interface PageDeps {
  ask: Ask;
  layout: Layout;
  now(): Date;
}

export type OperatorPage = PageRoute<Session>;

/** What the last form did: `done` names one of the sentences, and anybody can write another name into the address. */
export function noticeOf(query: URLSearchParams, sentences: Record<string, string>): string | undefined {
  const done = query.get('done') ?? '';
  return Object.hasOwn(sentences, done) ? sentences[done] : undefined;
}

/** Of a query: only those that are given. */
export const given = (values: Record<string, string | null | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1])));
