/** Forms of operations: one page for each, made from the schema of its operation and its layout. */
import type { PageReply, PageRequest } from '../http/page-route.ts';
import type { FormFile } from '../http/read-form.ts';
import { includesRole } from '../http/role.ts';
import { neededRole, type Route } from '../http/route.ts';
import { AppError, invalid, notFound } from '../process/errors.ts';
import type { Field, Values } from './form-fields.ts';
import { formHtml, revealedHtml } from './form-html.ts';
import type { FormLayout } from './form-layout.ts';
import { defaultsOf, toChange, toCreation, toTimes } from './form-values.ts';
import { FORM_PATH, FORMS, type FormName, operationOf, toActionUrl } from './forms.ts';
import { type FormPageDeps, type OperatorPage, OWN_PATH, type Refusal } from './page-deps.ts';
import { type Session, toCaller } from './session.ts';

interface Form {
  name: FormName;
  layout: FormLayout;
  operation: Route;
  fields: readonly Field[];
  /** Parameters of the path of the operation. */
  params: Record<string, string>;
}

interface Shown {
  values: Values;
  /** Values before the change; null: nothing is changed. */
  shown: Values | null;
  fault?: Refusal;
}

export function formsRoutes(deps: FormPageDeps): OperatorPage[] {
  const { call, findOperation, fieldsOf, listChoices, readTyped, layout: around, now, toRefusal } = deps;

  function findForm(session: Session, name: string | undefined, query: URLSearchParams): Form {
    if (!isForm(name)) throw notFound('There is no such form');
    const layout: FormLayout = FORMS[name];
    const operation = findOperation(operationOf(name));
    const needed = neededRole(operation);
    if (needed === null || !includesRole(session.role, needed))
      throw new AppError('forbidden', `This needs the role ${needed}`);
    const isShown = ({ name: field }: Field) =>
      !layout.omits?.includes(field) && !Object.hasOwn(layout.body ?? {}, field);
    const params = Object.fromEntries(
      [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, param = '']) => [param, query.get(param) ?? '']),
    );
    return { name, layout, operation, fields: fieldsOf(operationOf(name)).filter(isShown), params };
  }

  async function draw(session: Session, form: Form, { values, shown, fault }: Shown): Promise<PageReply> {
    const { name, layout, fields, params } = form;
    const content = formHtml({
      layout,
      fields,
      values,
      shown,
      options: await listChoices(session, layout, values),
      action: toActionUrl(name, params),
      back: layout.back(params),
      fault: fault?.message ?? null,
    });
    const { title, section } = layout;
    return { page: around({ title, session, section }, content), status: fault?.status };
  }

  async function send(
    session: Session,
    { layout, operation, fields, params }: Form,
    { values, shown, file }: Shown & { file: FormFile | null },
  ) {
    if (layout.file) {
      if (!file) throw invalid('Choose a file first');
      const raw = { bytes: file.bytes, contentType: operation.rawBody?.contentType ?? '' };
      return (await call(toCaller(session), operation.operationId, { params, raw })).body as Values;
    }
    const filled = shown ? toChange(fields, values, shown) : toCreation(fields, values);
    const body = operation.body && { ...toTimes(filled, layout.looks, now()), ...layout.body };
    const { body: answer } = await call(toCaller(session), operation.operationId, { params, body });
    return (answer ?? {}) as Values;
  }

  async function receive({ visitor: session, params, query, form: sent, file }: PageRequest<Session>) {
    const form = findForm(session, params.form, query);
    const { looks } = form.layout;
    const { values, fault } = await readTyped(session, { form: sent, fields: form.fields, looks });
    const typed = { values, shown: form.layout.changes ? parseShown(sent.get('shown')) : null };
    try {
      if (fault) throw fault;
      const answer = await send(session, form, { ...typed, file });
      return toReply(session, form, { answer, back: sent.get('return') });
    } catch (thrown) {
      return draw(session, form, { ...typed, fault: toRefusal(thrown) });
    }
  }

  return [
    {
      method: 'GET',
      path: `${FORM_PATH}/{form}`,
      role: 'read',
      async handle({ visitor: session, params, query }) {
        const form = findForm(session, params.form, query);
        const { changes } = form.layout;
        if (!changes) return draw(session, form, { values: defaultsOf(form.fields), shown: null });
        const { body } = await call(toCaller(session), changes.operation, { params: form.params });
        const values = pickValues(form.fields, changes.pick?.(body as Values) ?? (body as Values));
        return draw(session, form, { values, shown: values });
      },
    },
    { method: 'POST', path: `${FORM_PATH}/{form}`, role: 'read', handle: receive },
    {
      method: 'POST',
      path: `${FORM_PATH}/{form}/file`,
      role: 'read',
      fileBytesMax: FILE_BYTES_MAX,
      handle: receive,
    },
  ];

  function toReply(
    session: Session,
    { name, layout, params }: Form,
    { answer, back }: { answer: Values; back: string | null },
  ): PageReply {
    const next =
      back !== null && OWN_PATH.test(back) ? back : (layout.next?.(params, answer) ?? layout.back(params));
    const secret = layout.reveals && answer[layout.reveals.field];
    if (typeof secret !== 'string')
      return { location: `${next}${next.includes('?') ? '&' : '?'}done=${name}` };
    const { title, section } = layout;
    return { page: around({ title, session, section }, revealedHtml(layout, secret, next)) };
  }
}

const FILE_BYTES_MAX = 10 * 1024 * 1024;

const isForm = (name: string | undefined): name is FormName =>
  name !== undefined && Object.hasOwn(FORMS, name) && !('path' in FORMS[name as FormName]);

const pickValues = (fields: readonly Field[], answer: Values): Values =>
  Object.fromEntries(fields.flatMap(({ name }) => (name in answer ? [[name, answer[name]]] : [])));

/** It comes back from the browser, so it may be anything. */
function parseShown(text: string | null): Values {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (typeof value === 'object' && value !== null) return value as Values;
  } catch {
    // The same as a form that showed nothing.
  }
  return {};
}
