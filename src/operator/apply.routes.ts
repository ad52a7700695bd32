/** Applying a profile: to devices by serial number, a group, a filter of the fleet or all; with one preview for all of them. */
import type { PageReply } from '../http/page-route.ts';
import { invalid } from '../process/errors.ts';
import { APPLY_PATH, PROFILE } from './apply-fields.ts';
import { applyFormHtml, applyPreviewHtml, TARGETS_MAX } from './apply-html.ts';
import { type FleetFilter, toFleetFilter } from './fleet-filter.ts';
import type { Values } from './form-fields.ts';
import { defaultsOf, readValues, toCreation, toInputs } from './form-values.ts';
import { FORMS } from './forms.ts';
import { type FormPageDeps, given, type OperatorPage, type Refusal } from './page-deps.ts';
import { OPERATOR_PATH, type Session } from './session.ts';

const LISTED = '500';

interface Asked {
  values: Values;
  /** Filter of the fleet, where all devices that match are meant. */
  filter: FleetFilter;
}

export function applyRoutes(deps: FormPageDeps): OperatorPage[] {
  const { ask, fieldsOf, listChoices, layout, toRefusal } = deps;
  const { title, section } = FORMS.applyProfile;

  const listFields = () => [PROFILE, ...fieldsOf('applyProfile')];

  const countMatching = async (session: Session, filter: FleetFilter): Promise<number | null> =>
    Object.keys(filter).length === 0
      ? null
      : (await ask(session, 'listAssets', { query: { ...given(filter), limit: '1' } })).totalItems;

  async function draw(session: Session, { values, filter }: Asked, fault?: Refusal): Promise<PageReply> {
    const content = applyFormHtml({
      fields: listFields(),
      values,
      filter,
      matching: await countMatching(session, filter),
      options: await listChoices(session, FORMS.applyProfile),
      fault: fault?.message ?? null,
    });
    return { page: layout({ title, session, section }, content), status: fault?.status };
  }

  /** Serial numbers of all devices that match: read page by page, and bounded as the operation is. */
  async function listMatching(session: Session, filter: FleetFilter): Promise<string[]> {
    const serials: string[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const query = given({ ...filter, cursor, limit: LISTED });
      const { items, nextCursor } = await ask(session, 'listAssets', { query });
      serials.push(...items.map(({ serialNumber }) => serialNumber));
      if (serials.length > TARGETS_MAX)
        throw invalid(
          `More than ${TARGETS_MAX.toLocaleString('en')} devices match: apply to a group, or to all`,
        );
      cursor = nextCursor;
    }
    return serials;
  }

  /** The apply takes the devices of the preview, even if others match by then. */
  async function withMatching(session: Session, { values, filter }: Asked): Promise<Asked> {
    if (Object.keys(filter).length === 0) return { values, filter };
    return { values: { ...values, serialNumbers: await listMatching(session, filter) }, filter };
  }

  async function send(session: Session, { values }: Asked, isPreview: boolean) {
    const { slug, ...body } = toCreation(listFields(), values);
    if (typeof slug !== 'string') throw invalid('slug is required: choose a profile');
    const sent = {
      ...body,
      // A box that is not ticked says nothing.
      applyToAll: body.applyToAll === true ? true : undefined,
    };
    const query = given({ dryRun: isPreview ? 'true' : null });
    return ask(session, 'applyProfile', { params: { slug }, query, body: sent });
  }

  const askedIn = (form: URLSearchParams): Asked => ({
    values: readValues(listFields(), form),
    filter: toFleetFilter(new URLSearchParams(form.get('filter') ?? '')),
  });

  return [
    {
      method: 'GET',
      path: APPLY_PATH,
      role: 'write',
      handle({ visitor, query }) {
        const { values, filter } = askedIn(query);
        return draw(visitor, { values: { ...defaultsOf(listFields()), ...values }, filter });
      },
    },
    {
      method: 'POST',
      path: APPLY_PATH,
      role: 'write',
      async handle({ visitor: session, form }) {
        let asked = askedIn(form);
        if (form.get('step') === 'edit') return draw(session, asked);
        const isPreview = form.get('step') !== 'apply';
        try {
          if (isPreview) asked = await withMatching(session, asked);
          const applied = await send(session, asked, isPreview);
          if (!isPreview) {
            const jobs = `${OPERATOR_PATH}/jobs`;
            return { location: applied.jobId === null ? jobs : `${jobs}/${applied.jobId}?done=applyProfile` };
          }
          const inputs = toInputs(listFields(), asked.values);
          if (inputs.has('serialNumbers'))
            inputs.set('serialNumbers', inputs.getAll('serialNumbers').join(' '));
          const filter = new URLSearchParams(given(asked.filter)).toString();
          if (filter !== '') inputs.set('filter', filter);
          const content = applyPreviewHtml(applied, { values: asked.values, inputs });
          return { page: layout({ title: `Apply ${applied.profileSlug}`, session, section }, content) };
        } catch (thrown) {
          return draw(session, asked, toRefusal(thrown));
        }
      },
    },
  ];
}
