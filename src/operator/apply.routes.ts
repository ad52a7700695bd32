/** Applying a profile: to devices by serial number, a group, a filter of the fleet or all; with one preview for all of them. */
import { describeSchema } from '../http/describe-schema.ts';
import type { PageReply } from '../http/page-route.ts';
import { renderError } from '../http/render-error.ts';
import type { Route } from '../http/route.ts';
import { AppError, invalid } from '../process/errors.ts';
import { APPLY_PATH, toApplyFields } from './apply-fields.ts';
import { applyFormHtml, applyPreviewHtml, TARGETS_MAX } from './apply-html.ts';
import type { ListChoices } from './choices.ts';
import { type FleetFilter, toFleetFilter } from './fleet-filter.ts';
import type { Described, Values } from './form-fields.ts';
import { defaultsOf, readValues, toCreation, toInputs } from './form-values.ts';
import { FORMS } from './forms.ts';
import { given, type OperatorPage, type PageDeps } from './page-deps.ts';
import { OPERATOR_PATH, type Session } from './session.ts';

export interface ApplyPageDeps extends PageDeps {
  findOperation(operationId: string): Route;
  listChoices: ListChoices;
  translateFault(error: unknown): unknown;
}

const LISTED = '500';

interface Asked {
  values: Values;
  /** Of the fleet, where the devices are all that match it. */
  filter: FleetFilter;
}

export function applyRoutes(deps: ApplyPageDeps): OperatorPage[] {
  const { ask, findOperation, listChoices, layout, translateFault } = deps;
  const { title, section } = FORMS.applyProfile;

  const fieldsOf = () =>
    toApplyFields(describeSchema<Described>(findOperation('applyProfile').body as never));

  const countMatching = async (session: Session, filter: FleetFilter): Promise<number | null> =>
    Object.keys(filter).length === 0
      ? null
      : (await ask(session, 'listAssets', { query: { ...given(filter), limit: '1' } })).totalItems;

  async function draw(session: Session, { values, filter }: Asked, fault?: AppError): Promise<PageReply> {
    const rendered = fault && renderError(fault);
    const content = applyFormHtml({
      fields: fieldsOf(),
      values,
      filter,
      matching: await countMatching(session, filter),
      options: await listChoices(session, FORMS.applyProfile),
      fault: rendered?.body.message ?? null,
    });
    return { page: layout({ title, session, section }, content), status: rendered?.status };
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

  /** The devices of the preview are those of the apply, even if others match by then. */
  async function withMatching(session: Session, { values, filter }: Asked): Promise<Asked> {
    if (Object.keys(filter).length === 0) return { values, filter };
    return { values: { ...values, serialNumbers: await listMatching(session, filter) }, filter };
  }

  async function send(session: Session, { values }: Asked, isPreview: boolean) {
    const { slug, ...body } = toCreation(fieldsOf(), values);
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
    values: readValues(fieldsOf(), form),
    filter: toFleetFilter(new URLSearchParams(form.get('filter') ?? '')),
  });

  return [
    {
      method: 'GET',
      path: APPLY_PATH,
      role: 'write',
      handle({ visitor, query }) {
        const { values, filter } = askedIn(query);
        return draw(visitor, { values: { ...defaultsOf(fieldsOf()), ...values }, filter });
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
          const inputs = toInputs(fieldsOf(), asked.values);
          if (inputs.has('serialNumbers'))
            inputs.set('serialNumbers', inputs.getAll('serialNumbers').join(' '));
          const filter = new URLSearchParams(given(asked.filter)).toString();
          if (filter !== '') inputs.set('filter', filter);
          const content = applyPreviewHtml(applied, { values: asked.values, inputs });
          return { page: layout({ title: `Apply ${applied.profileSlug}`, session, section }, content) };
        } catch (thrown) {
          const error = translateFault(thrown);
          if (!(error instanceof AppError)) throw error;
          return draw(session, asked, error);
        }
      },
    },
  ];
}
