/** Forms of operations: one page for each, made from the schema of its operation and its layout. */
import type { Preview } from '../config-jobs/compile-devices.ts';
import type { PageReply, PageRequest } from '../http/page-route.ts';
import type { FormFile } from '../http/read-form.ts';
import { includesRole } from '../http/role.ts';
import { neededRole, type Route } from '../http/route.ts';
import { AppError, invalid, notFound, orNotFound } from '../process/errors.ts';
import { UUID } from '../process/uuid.ts';
import { changedProfile, NO_SUCH_PROFILE } from '../profiles/profile.ts';
import type { ProfilesRepository } from '../profiles/profiles.repository.ts';
import { namedProfile, previewHtml } from './apply-html.ts';
import { ASKED_PROFILE, CHANGED_SINCE, toAskedProfile } from './asked-profile.ts';
import type { Field, Values } from './form-fields.ts';
import { formHtml, revealedHtml } from './form-html.ts';
import type { FormLayout } from './form-layout.ts';
import { defaultsOf, toChange, toCreation, toTimes, withoutUnused } from './form-values.ts';
import { FORM_PATH, FORMS, type FormName, operationOf, outcomeOf, toActionUrl } from './forms.ts';
import { joinHtml, takeAwayHtml } from './groups-html.ts';
import { type Content, html } from './html.ts';
import {
  type FormPageDeps,
  leadBack,
  type OperatorPage,
  type Refusal,
  toOnce,
  toOwnPath,
} from './page-deps.ts';
import { changedSettings, GROUPS_ASKED_ABOUT, saveHtml } from './profiles-html.ts';
import { type Session, toCaller } from './session.ts';
import type { ShownAssetsRepository } from './shown-assets.repository.ts';
import type { ShownGroupsRepository } from './shown-groups.repository.ts';
import type { ShownJobsRepository } from './shown-jobs.repository.ts';
import { withTypedFault } from './typed-groups.ts';

interface Form {
  name: FormName;
  layout: FormLayout;
  operation: Route;
  fields: readonly Field[];
  /** Parameters of the path of the operation. */
  params: Record<string, string>;
  /** The page that follows, as the link or the button to the form names it; null: that of the layout. */
  next: string | null;
}

interface Shown {
  values: Values;
  /** Values before the change; null: nothing is changed. */
  shown: Values | null;
  refusal?: Refusal;
  notice?: string;
}

/** All that the form has sent but for its step, to be sent again. */
type Inputs = Array<[string, string]>;

export interface FormsRoutesDeps extends FormPageDeps {
  listLeaving: ShownGroupsRepository['listLeaving'];
  listProfileNames: ProfilesRepository['listNames'];
  shownAssets: Pick<ShownAssetsRepository, 'list'>;
  findProfile: ProfilesRepository['find'];
  listGroupsByProfile: ShownGroupsRepository['listByProfile'];
  shownJobs: Pick<ShownJobsRepository, 'findSnapshot'>;
}

export function formsRoutes(deps: FormsRoutesDeps): OperatorPage[] {
  const { ask, call, findOperation, fieldsOf, listChoices, readTyped, layout: around, now } = deps;
  const { toRefusal, findFaults, forecastBreaches, listLeaving, listProfileNames, shownAssets } = deps;
  const { findProfile, listGroupsByProfile, shownJobs } = deps;

  function findForm(
    session: Session,
    name: string | undefined,
    { query, next }: { query: URLSearchParams; next: string | null },
  ): Form {
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
    const fields = fieldsOf(operationOf(name)).filter(isShown);
    const first = layout.first?.flatMap((each) => fields.filter((field) => field.name === each)) ?? [];
    return {
      name,
      layout,
      operation,
      fields: [...new Set([...first, ...fields])],
      params,
      next: toOwnPath(next),
    };
  }

  const toPage = (
    session: Session,
    { title, section }: FormLayout,
    content: Content,
    notice?: string,
  ): PageReply => ({ page: around({ title, session, section, notice }, content) });

  async function draw(session: Session, form: Form, drawn: Shown): Promise<PageReply> {
    const { name, layout, fields, params, next } = form;
    const { values, shown, refusal, notice } = drawn;
    const content = formHtml({
      layout,
      fields,
      values,
      shown,
      options: await listChoices(session, layout, values),
      action: toActionUrl(name, params),
      once: deps.nextFormId(),
      back: layout.back(params),
      next,
      about: await findAbout(session, form),
      faults: refusal?.messages ?? [],
    });
    return { ...toPage(session, layout, content, notice), status: refusal?.status };
  }

  async function findAbout(session: Session, { layout: { about }, params }: Form): Promise<Content> {
    if (!about) return null;
    const { operation, query = {} } = about;
    const answer =
      operation === undefined ? {} : (await call(toCaller(session), operation, { params, query })).body;
    const { profileSlug: slug, assetId } = answer as Values;
    const names = await listProfileNames(session.organizationId, typeof slug === 'string' ? [slug] : []);
    const assets = await shownAssets.list(
      session.organizationId,
      typeof assetId === 'string' ? [assetId] : [],
    );
    const [asset] = assets.values();
    return about.name({ assetName: asset?.name, ...(answer as Values) }, params, names) || null;
  }

  async function send(
    session: Session,
    { layout, operation, params }: Form,
    { body, file, once }: { body: Values | undefined; file: FormFile | null; once: string | undefined },
  ) {
    if (layout.file) {
      if (!file) throw invalid('Choose a file first');
      const raw = { bytes: file.bytes, contentType: operation.rawBody?.contentType ?? '' };
      return (await call(toCaller(session), operation.operationId, { params, raw, once })).body as Values;
    }
    const { body: answer } = await call(toCaller(session), operation.operationId, { params, body, once });
    return (answer ?? {}) as Values;
  }

  function toBody(
    { layout, operation, fields }: Pick<Form, 'layout' | 'operation' | 'fields'>,
    { values, shown }: Shown,
  ): Values | undefined {
    const used = withoutUnused(values, shown, layout.looks);
    const filled = shown ? toChange(fields, used, shown) : toCreation(fields, used);
    return operation.body && { ...toTimes(filled, layout.looks, now()), ...layout.body };
  }

  /** The dry run of a job that another profile begins, or a question; null: the group keeps its profile, or has none. */
  async function askForProfile(
    session: Session,
    { layout, operation, params }: Form,
    body: Values,
    inputs: Inputs,
  ): Promise<Content> {
    if (body.profileSlug === null) return askToTakeAway(session, { layout, params }, inputs);
    if (typeof body.profileSlug !== 'string') return null;
    const dryRun = { params, body, query: { dryRun: 'true' } };
    const { body: changed } = await call(toCaller(session), operation.operationId, dryRun);
    const { name, profileSlug, preview: variants = [] } = changed as Previewed;
    const { profile } = await ask(session, 'getProfile', { params: { slug: profileSlug } });
    return previewHtml(variants, {
      crumbs: html`<a href="${layout.back(params)}">${name}</a>`,
      title: `Give ${profile.name} to ${name}?`,
      facts: [
        ['Group', name],
        ['Profile', namedProfile(profile.name, profileSlug)],
      ],
      values: body,
      inputs,
      breaches: await forecastBreaches(session, profileSlug, { groupId: params.groupId }),
      action: toActionUrl('updateGroup', params),
      submit: `${layout.submit}, and begin the job`,
      back: layout.back(params),
    });
  }

  async function askToTakeAway(
    session: Session,
    { layout, params }: Pick<Form, 'layout' | 'params'>,
    inputs: Inputs,
  ): Promise<Content> {
    const group = await ask(session, 'getGroup', { params });
    if (group.profileSlug === null) return null;
    return takeAwayHtml(group, {
      profileNames: await listProfileNames(session.organizationId, [group.profileSlug]),
      inputs,
      action: toActionUrl('updateGroup', params),
      submit: layout.submit,
      back: layout.back(params),
    });
  }

  /** Null: no device leaves another group, and none gets a profile. */
  async function askToLeave(
    session: Session,
    { name, params }: Form,
    { serialNumbers }: Values,
    inputs: Inputs,
  ): Promise<Content> {
    const serials = serialNumbers as string[];
    const group = await ask(session, 'getGroup', { params });
    const leaving = await listLeaving(session.organizationId, group.id, serials);
    if (leaving.length === 0 && group.profileSlug === null) return null;
    const slugs = group.profileSlug === null ? [] : [group.profileSlug];
    return joinHtml({
      group,
      profileNames: await listProfileNames(session.organizationId, slugs),
      leaving,
      count: new Set(serials.map((serial) => serial.toLowerCase())).size,
      inputs,
      action: toActionUrl(name, params),
    });
  }

  /** Null: nothing changes. */
  async function askToSave(
    session: Session,
    { layout, params, next }: Form,
    change: Values,
    inputs: Inputs,
  ): Promise<Content> {
    const { organizationId } = session;
    const { slug = '' } = params;
    const profile = orNotFound(await findProfile(organizationId, slug), NO_SUCH_PROFILE);
    const changed = changedSettings(profile, changedProfile(profile, change));
    if (changed.length === 0) return null;
    const { totalItems } = await ask(session, 'listAssets', { query: { profileSlug: slug, limit: '1' } });
    return saveHtml({
      name: profile.name,
      slug,
      deviceCount: totalItems,
      changed,
      groups: await listGroupsByProfile(organizationId, slug, GROUPS_ASKED_ABOUT + 1),
      inputs,
      action: toActionUrl('updateProfile', params),
      back: next ?? layout.back(params),
    });
  }

  /** The settings of the profile that a job has brought; null: there is no such job. Parts that it left alone stay. */
  async function findEarlier(
    { organizationId }: Session,
    { params: { slug = '' } }: Form,
    jobId: string | null,
  ): Promise<Values | null> {
    if (jobId === null || !UUID.test(jobId)) return null;
    const snapshot = await shownJobs.findSnapshot({ organizationId, jobId }, slug);
    if (snapshot === null) return null;
    const { alerts, schedule, intervals } = snapshot;
    return {
      ...(alerts && { temperatureAlerts: alerts }),
      // Alerts without a schedule are always on.
      ...((alerts || schedule) && { schedule: schedule ?? { always: true } }),
      ...(intervals && { intervals }),
    };
  }

  /** The profile whose content a question shows; null: it shows none. */
  async function findAskedProfile(
    { organizationId }: Session,
    { name, params }: Form,
    body: Values | undefined,
  ): Promise<string | null> {
    const slug = { updateProfile: params.slug, updateGroup: body?.profileSlug }[name as string];
    const profile = typeof slug === 'string' ? await findProfile(organizationId, slug) : null;
    return profile && toAskedProfile(profile);
  }

  /** Asked before a form is carried out; null: there is nothing to ask. */
  const questions: Partial<Record<FormName, typeof askToLeave>> = {
    addGroupMembers: askToLeave,
    updateGroup: askForProfile,
    updateProfile: askToSave,
  };

  async function receive({ visitor: session, params, query, form: sent, file }: PageRequest<Session>) {
    const form = findForm(session, params.form, { query, next: sent.get('return') });
    const { looks } = form.layout;
    const { values, fault } = await readTyped(session, { form: sent, fields: form.fields, looks });
    const step = sent.get('step');
    const typed = { values, shown: form.layout.changes ? parseShown(sent.get('shown')) : null };
    // A button names the field that is sent although it does not change; the form that follows it is one as any other.
    const unchanged = sent.get('unchanged');
    if (typed.shown && unchanged && step !== 'edit') typed.shown = { ...typed.shown, [unchanged]: null };
    const inputs = [...sent].filter(([field]) => field !== 'step' && field !== ASKED_PROFILE);
    // A button that begins the form on another page is drawn many times.
    if (!sent.has('once')) inputs.push(['once', deps.nextFormId()]);
    if (step === 'edit') return draw(session, form, typed);
    try {
      const body = toBody(form, typed);
      const faults = withTypedFault(
        fault,
        form.layout.file ? [] : findFaults(form.operation.operationId, body),
      );
      if (faults.length > 0)
        return draw(session, form, { ...typed, refusal: { messages: faults, status: 400 } });
      const asked = await findAskedProfile(session, form, body);
      if (asked !== null) inputs.push([ASKED_PROFILE, asked]);
      const isAnswered = step === 'apply' && sent.get(ASKED_PROFILE) === asked;
      const question = body && !isAnswered && (await questions[form.name]?.(session, form, body, inputs));
      if (question)
        return toPage(session, form.layout, question, sent.has(ASKED_PROFILE) ? CHANGED_SINCE : undefined);
      const answer = await send(session, form, { body, file, once: toOnce(sent) });
      return toReply(session, form, answer);
    } catch (thrown) {
      return draw(session, form, { ...typed, refusal: toRefusal(thrown) });
    }
  }

  return [
    {
      method: 'GET',
      path: `${FORM_PATH}/{form}`,
      role: 'read',
      async handle({ visitor: session, params, query }) {
        const form = findForm(session, params.form, { query, next: query.get('return') });
        const { changes } = form.layout;
        if (!changes) return draw(session, form, { values: defaultsOf(form.fields), shown: null });
        const { body } = await call(toCaller(session), changes.operation, { params: form.params });
        const found = changes.pick?.(body as Values) ?? (body as Values);
        // The API takes intervals and does not show them.
        const stored = changes.hasIntervals && {
          intervals: (await findProfile(session.organizationId, form.params.slug ?? ''))?.intervals ?? null,
        };
        const values = pickValues(form.fields, { ...found, ...stored });
        const earlier = changes.hasIntervals && (await findEarlier(session, form, query.get('job')));
        return earlier
          ? draw(session, form, { values: { ...values, ...earlier }, shown: values, notice: EARLIER })
          : draw(session, form, { values, shown: values });
      },
    },
    { method: 'POST', path: `${FORM_PATH}/{form}`, role: 'read', handle: receive },
    leadBack(
      `${FORM_PATH}/{form}/file`,
      ({ params: { form = '' }, query }) => `${FORM_PATH}/${encodeURIComponent(form)}?${query}`,
    ),
    {
      method: 'POST',
      path: `${FORM_PATH}/{form}/file`,
      role: 'read',
      fileBytesMax: FILE_BYTES_MAX,
      handle: receive,
    },
  ];

  function toReply(session: Session, { name, layout, params, ...form }: Form, answer: Values): PageReply {
    const next = form.next ?? layout.next?.(params, answer) ?? layout.back(params);
    const secret = layout.reveals && answer[layout.reveals.field];
    if (typeof secret !== 'string')
      return { location: `${next}${next.includes('?') ? '&' : '?'}done=${outcomeOf(name, answer)}` };
    return toPage(session, layout, revealedHtml(layout, secret, next));
  }
}

/** Shown with the form of a profile that the settings of a job fill in. */
const EARLIER = 'These are the settings that an earlier job brought. They count once they are saved.';

const FILE_BYTES_MAX = 10 * 1024 * 1024;

const isForm = (name: string | undefined): name is FormName =>
  name !== undefined && Object.hasOwn(FORMS, name) && !('path' in FORMS[name as FormName]);

const pickValues = (fields: readonly Field[], answer: Values): Values =>
  Object.fromEntries(fields.flatMap(({ name }) => (name in answer ? [[name, answer[name]]] : [])));

/** The answer to a dry run of a change of a group. */
interface Previewed {
  name: string;
  profileSlug: string;
  preview?: Preview[];
}

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
