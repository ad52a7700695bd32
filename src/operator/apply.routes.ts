/** Applying a profile: to devices by serial number, a group, a filter of the fleet or all; with one preview for all of them. */
import type { OperationInput } from '../http/operations.ts';
import type { PageReply } from '../http/page-route.ts';
import { invalid, orNotFound } from '../process/errors.ts';
import { UUID } from '../process/uuid.ts';
import { NO_SUCH_PROFILE } from '../profiles/profile.ts';
import type { ProfilesRepository } from '../profiles/profiles.repository.ts';
import { APPLY_PATH, PROFILE } from './apply-fields.ts';
import { applyFormHtml, applyPreviewHtml, TARGETS_MAX, TOO_MANY_MATCH } from './apply-html.ts';
import { ASKED_PROFILE, CHANGED_SINCE, toAskedProfile } from './asked-profile.ts';
import type { ChosenDevices } from './breaches.ts';
import { type FleetFilter, toAssetsQuery, toFleetFilter } from './fleet-filter.ts';
import type { Values } from './form-fields.ts';
import { defaultsOf, toCreation, toInputs } from './form-values.ts';
import { FORMS } from './forms.ts';
import { type FormPageDeps, given, type OperatorPage, type Refusal, toOnce } from './page-deps.ts';
import { OPERATOR_PATH, type Session } from './session.ts';
import type { ShownGroupsRepository } from './shown-groups.repository.ts';
import type { ShownJobsRepository } from './shown-jobs.repository.ts';
import { withTypedFault } from './typed-groups.ts';

const LISTED = '500';
const JOBS_PATH = `${OPERATOR_PATH}/jobs`;

interface Asked {
  values: Values;
  /** Filter of the fleet, where all devices that match are meant. */
  filter: FleetFilter;
}

export interface ApplyPageDeps extends FormPageDeps {
  shownJobs: Pick<ShownJobsRepository, 'listChanged'>;
  listGroupNames: ShownGroupsRepository['listByIds'];
  findProfile: ProfilesRepository['find'];
}

export function applyRoutes(deps: ApplyPageDeps): OperatorPage[] {
  const { ask, fieldsOf, findFaults, listChoices, readTyped, layout, toRefusal } = deps;
  const { forecastBreaches, shownJobs, listGroupNames, findProfile, nextFormId } = deps;
  const { title, section } = FORMS.applyProfile;

  const listFields = () => [PROFILE, ...fieldsOf('applyProfile')];

  const countMatching = async (session: Session, filter: FleetFilter): Promise<number | null> =>
    Object.keys(filter).length === 0
      ? null
      : (await ask(session, 'listAssets', { query: { ...toAssetsQuery(filter), limit: '1' } })).totalItems;

  async function findGroupName({ organizationId }: Session, { groupId = '' }: FleetFilter) {
    const [group] = UUID.test(groupId) ? await listGroupNames(organizationId, [groupId]) : [];
    return group?.label;
  }

  async function draw(session: Session, { values, filter }: Asked, refusal?: Refusal): Promise<PageReply> {
    const content = applyFormHtml({
      fields: listFields(),
      values,
      filter,
      groupName: await findGroupName(session, filter),
      matching: await countMatching(session, filter),
      options: await listChoices(session, FORMS.applyProfile, values),
      faults: refusal?.messages ?? [],
    });
    return { page: layout({ title, session, section }, content), status: refusal?.status };
  }

  /** Serial numbers of all devices that match: read page by page, and bounded as the operation is. */
  async function listMatching(session: Session, filter: FleetFilter): Promise<string[]> {
    const serials: string[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const query = { ...toAssetsQuery(filter), ...given({ cursor }), limit: LISTED };
      const { items, nextCursor } = await ask(session, 'listAssets', { query });
      serials.push(...items.map(({ serialNumber }) => serialNumber));
      if (serials.length > TARGETS_MAX) throw invalid(TOO_MANY_MATCH);
      cursor = nextCursor;
    }
    return serials;
  }

  /** The apply takes the devices of the preview, even if others match by then. */
  async function withMatching(session: Session, { values, filter }: Asked): Promise<Asked> {
    if (Object.keys(filter).length === 0) return { values, filter };
    const serialNumbers = await listMatching(session, filter);
    if (serialNumbers.length === 0) throw invalid('No device matches');
    return { values: { ...values, serialNumbers }, filter };
  }

  function toRequest(values: Values): { slug: unknown; body: Values } {
    const { slug, applyToAll, ...body } = toCreation(listFields(), values);
    // A box that is not ticked says nothing.
    return { slug, body: applyToAll === true ? { ...body, applyToAll } : body };
  }

  function listFaults(values: Values): string[] {
    const { slug, body } = toRequest(values);
    return [
      ...(slug === undefined ? ['slug is required: choose a profile'] : []),
      ...findFaults('applyProfile', body),
    ];
  }

  async function send(session: Session, { values }: Asked, more: Pick<OperationInput, 'query' | 'once'>) {
    const { slug, body } = toRequest(values);
    return ask(session, 'applyProfile', { params: { slug: String(slug) }, body, ...more });
  }

  async function findChosenProfile({ organizationId }: Session, { slug }: Values) {
    return orNotFound(await findProfile(organizationId, String(slug)), NO_SUCH_PROFILE);
  }

  async function begin(session: Session, asked: Asked, form: URLSearchParams): Promise<PageReply> {
    const profile = await findChosenProfile(session, asked.values);
    const wasAsked = form.get(ASKED_PROFILE);
    if (wasAsked !== toAskedProfile(profile))
      return preview(session, asked, wasAsked === null ? undefined : CHANGED_SINCE);
    const { jobId } = await send(session, asked, { once: toOnce(form) });
    return { location: jobId === null ? JOBS_PATH : `${JOBS_PATH}/${jobId}?done=applyProfile` };
  }

  async function preview(session: Session, { values, filter }: Asked, notice?: string): Promise<PageReply> {
    // Read first: a profile that changes meanwhile is asked about once more.
    const profile = await findChosenProfile(session, values);
    const query = { dryRun: 'true', omitApplied: 'true' };
    const applied = await send(session, { values, filter }, { query });
    const inputs = toInputs(listFields(), values);
    if (inputs.has('serialNumbers')) inputs.set('serialNumbers', inputs.getAll('serialNumbers').join(' '));
    const filtered = new URLSearchParams(given(filter)).toString();
    if (filtered !== '') inputs.set('filter', filtered);
    inputs.set('once', nextFormId());
    inputs.set(ASKED_PROFILE, toAskedProfile(profile));
    const content = applyPreviewHtml(applied, {
      values,
      inputs,
      profileName: profile.name,
      groupName: await findChosenGroup(session, values),
      breaches: await forecastBreaches(session, applied.profileSlug, toChosen(values)),
    });
    return { page: layout({ title: `Apply ${profile.name}`, session, section, notice }, content) };
  }

  const toChosen = (values: Values): ChosenDevices => toCreation(listFields(), values);

  const findChosenGroup = async (session: Session, { groupId }: Values): Promise<string | null> =>
    typeof groupId === 'string' ? (await ask(session, 'getGroup', { params: { groupId } })).name : null;

  /** The devices that run the change of the job to undo, and ran the profile before. */
  async function listUndone(
    { organizationId }: Session,
    form: URLSearchParams,
  ): Promise<{ serialNumbers?: string[] }> {
    const jobId = form.get('undo') ?? '';
    if (!UUID.test(jobId)) return {};
    const changed = await shownJobs.listChanged({ organizationId, jobId }, TARGETS_MAX);
    const slug = form.get('slug');
    const undone = changed.filter(({ profileSlug }) => profileSlug === slug);
    return { serialNumbers: undone.map(({ serialNumber }) => serialNumber) };
  }

  async function readAsked(session: Session, form: URLSearchParams) {
    const { looks } = FORMS.applyProfile;
    const { values, fault } = await readTyped(session, { form, fields: listFields(), looks });
    const undone = await listUndone(session, form);
    return {
      asked: {
        values: { ...values, ...undone },
        filter: toFleetFilter(new URLSearchParams(form.get('filter') ?? '')),
      },
      fault,
    };
  }

  return [
    {
      method: 'GET',
      path: APPLY_PATH,
      role: 'write',
      async handle({ visitor, query }) {
        const { values, filter } = (await readAsked(visitor, query)).asked;
        return draw(visitor, { values: { ...defaultsOf(listFields()), ...values }, filter });
      },
    },
    {
      method: 'POST',
      path: APPLY_PATH,
      role: 'write',
      async handle({ visitor: session, form }) {
        const { asked, fault } = await readAsked(session, form);
        const step = form.get('step');
        if (step === 'edit') return draw(session, asked);
        try {
          const sent = step === 'apply' ? asked : await withMatching(session, asked);
          const faults = withTypedFault(fault, listFaults(sent.values));
          if (faults.length > 0) return draw(session, asked, { messages: faults, status: 400 });
          return await (step === 'apply' ? begin(session, sent, form) : preview(session, sent));
        } catch (thrown) {
          return draw(session, asked, toRefusal(thrown));
        }
      },
    },
  ];
}
