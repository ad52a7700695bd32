/** Shared dependencies of the pages. */
import type { CallOperation, OperationInput } from '../http/operations.ts';
import type { PageRequest, PageRoute } from '../http/page-route.ts';
import type { Role } from '../http/role.ts';
import type { Route } from '../http/route.ts';
import type { AppError } from '../process/errors.ts';
import type { Answers } from './answers.ts';
import type { BreachCount, ChosenDevices } from './breaches.ts';
import type { Download } from './downloads.service.ts';
import type { Field, Values } from './form-fields.ts';
import type { FormLayout, ListChoices } from './form-layout.ts';
import type { LinksFor } from './form-links.ts';
import { SAID } from './forms.ts';
import type { Content } from './html.ts';
import type { Layout } from './layout.ts';
import { OPERATOR_PATH, type Session } from './session.ts';

/** Calls an operation of the API for the signed-in person. */
export type Ask = <Id extends keyof Answers>(
  session: Session,
  operationId: Id,
  input?: OperationInput,
) => Promise<Answers[Id]>;

export interface PageDeps {
  ask: Ask;
  download: Download;
  layout: Layout;
  showPage: ShowPage;
  /** Links to forms that the role of a session may send. */
  linksFor: LinksFor;
  now(): Date;
}

/**
 * Values of a form, with the ids of groups whose names were typed. The fault names a field whose text is no group.
 */
export type ReadTyped = (
  session: Session,
  sent: { form: URLSearchParams; fields: readonly Field[]; looks?: FormLayout['looks'] },
) => Promise<{ values: Values; fault: AppError | null }>;

/** Breaches that an apply of the profile would cause at once; null: it has no alerts. */
export type ForecastBreaches = (
  session: Session,
  slug: string,
  chosen: ChosenDevices,
) => Promise<BreachCount | null>;

/** Dependencies of pages with forms. */
export interface FormPageDeps extends PageDeps {
  call: CallOperation;
  /** Of a drawn form, so that a double click carries it out once. */
  nextFormId(): string;
  findOperation(operationId: string): Route;
  /** Fields of the body or of the query of an operation. */
  fieldsOf(operationId: string, part?: 'body' | 'query'): Field[];
  listChoices: ListChoices;
  readTyped: ReadTyped;
  forecastBreaches: ForecastBreaches;
  /** Faults of the shape of a body, which the operation would tell one at a time. */
  findFaults(operationId: string, body: unknown): string[];
  /** @throws when it is a defect. */
  toRefusal(thrown: unknown): Refusal;
}

/** Shown with the form that was refused. */
export interface Refusal {
  messages: readonly string[];
  status: number;
}

export type OperatorPage = PageRoute<Session>;

interface PageOptions {
  path: string;
  section: string;
  /** Default: read. */
  role?: Role;
  isLive?: boolean;
}

interface ShownPage {
  title: string;
  content: Content;
  /** Default: the outcome of the last form. */
  notice?: Content;
}

export type ShowPage = (
  options: PageOptions,
  read: (session: Session, request: PageRequest<Session>) => Promise<ShownPage>,
) => OperatorPage;

/**
 * A page to be read, with the outcome of the last form. As the answer to a form it shows what was typed, which changes in
 * place would take away.
 */
export const createShowPage =
  (layout: Layout): ShowPage =>
  ({ path, section, role = 'read', isLive = false }, read) => ({
    method: 'GET',
    path,
    role,
    isLive,
    async handle(request) {
      const { visitor: session, query, form, url } = request;
      const { title, content, notice = noticeOf(query) } = await read(session, request);
      const watch = isLive && form.size === 0 ? url : undefined;
      return { page: layout({ title, session, section, watch, notice }, content) };
    },
  });

/** The address of a form whose answer is a page that is shown once; loaded anew, it leads back. */
export const leadBack = (path: string, back: (request: PageRequest<Session>) => string): OperatorPage => ({
  method: 'GET',
  path,
  role: 'read',
  handle: async (request) => ({ location: back(request) }),
});

/** The outcome of the last form: `done` names one of the sentences; an unknown name, which may stand in any address, shows nothing. */
export function noticeOf(query: URLSearchParams): string | undefined {
  const done = query.get('done') ?? '';
  return Object.hasOwn(SAID, done) ? SAID[done] : undefined;
}

/** A form may name the page that it stands on, which then follows. */
const OWN_PATH = /^\/operator(?:[/?][\w/?=&.%+:~,*!'()@-]*)?$/;

/** It has to fit into a cookie. A search of 128 letters in any script does, encoded. */
const OWN_PATH_LENGTH_MAX = 1_600;

/** The page that follows a form or a sign-in; null: the address is none of this page, or of the sign-in itself. */
export const toOwnPath = (address: string | null): string | null =>
  address !== null &&
  address.length <= OWN_PATH_LENGTH_MAX &&
  OWN_PATH.test(address) &&
  !address.startsWith(`${OPERATOR_PATH}/sign-in`)
    ? address
    : null;

/** Identifies a submission by the form and its values, because the same form may be submitted again with other values. */
export const toOnce = (form: URLSearchParams): string | undefined =>
  form.has('once') ? form.toString() : undefined;

/** Parameters of a query that have a value. */
export const given = (values: Record<string, string | null | undefined | false>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1])));

/** The page of a list that the address names. */
export const pageIn = (query: URLSearchParams) => given({ cursor: query.get('cursor'), limit: '50' });
