/** Files that operations answer with: readings as a table, and calibration certificates. */
import type { Readable } from 'node:stream';
import type { PageReply } from '../http/page-route.ts';
import { exportHtml } from './export-html.ts';
import type { Values } from './form-fields.ts';
import type { FormLayout } from './form-layout.ts';
import type { FormPageDeps, OperatorPage, Refusal } from './page-deps.ts';
import { OPERATOR_PATH, type Session, toCaller } from './session.ts';

const LOOKS: FormLayout['looks'] = {
  groupId: { label: 'Group', choices: 'groups' },
  all: { label: 'All devices' },
};
const section = 'Fleet';

export function exportsRoutes(deps: FormPageDeps): OperatorPage[] {
  const { call, fieldsOf, listChoices, readTyped, layout, toRefusal } = deps;

  const listFields = () => fieldsOf('exportMeasurements', 'query');

  async function draw(session: Session, values: Values, refusal?: Refusal): Promise<PageReply> {
    const fields = listFields();
    const options = await listChoices(session, { looks: LOOKS }, values);
    const content = exportHtml({
      fields,
      values,
      options,
      looks: LOOKS,
      faults: refusal?.messages ?? [],
    });
    return {
      page: layout({ title: 'Export readings', session, section }, content),
      status: refusal?.status,
    };
  }

  async function download(
    session: Session,
    operationId: string,
    input: { params?: Record<string, string>; query?: Record<string, string>; accept?: string },
  ): Promise<PageReply> {
    const { body, headers = {} } = await call(toCaller(session), operationId, input);
    return { stream: body as Readable, headers };
  }

  return [
    {
      method: 'GET',
      path: `${OPERATOR_PATH}/exports`,
      role: 'read',
      async handle({ visitor: session, query }) {
        const { values, fault } = await readTyped(session, {
          form: query,
          fields: listFields(),
          looks: LOOKS,
        });
        if (query.get('step') !== 'download') return draw(session, values);
        const filled = Object.entries(values).filter(([, value]) => value !== false);
        const asked = Object.fromEntries(filled.map(([name, value]) => [name, String(value)]));
        try {
          if (fault) throw fault;
          return await download(session, 'exportMeasurements', { query: asked, accept: 'text/csv' });
        } catch (thrown) {
          return draw(session, values, toRefusal(thrown));
        }
      },
    },
    {
      method: 'GET',
      path: `${OPERATOR_PATH}/devices/{assetId}/certificate.pdf`,
      role: 'read',
      handle: ({ visitor, params }) => download(visitor, 'getCalibrationCertificate', { params }),
    },
  ];
}
