/** Files that operations answer with: readings as a table, and calibration certificates. */
import type { Readable } from 'node:stream';
import { describeSchema } from '../http/describe-schema.ts';
import type { CallOperation } from '../http/operations.ts';
import type { PageReply } from '../http/page-route.ts';
import { renderError } from '../http/render-error.ts';
import type { Route } from '../http/route.ts';
import { AppError } from '../process/errors.ts';
import type { ListChoices } from './choices.ts';
import { exportHtml } from './export-html.ts';
import { type Described, type Field, toFields } from './form-fields.ts';
import type { FormLayout } from './form-layout.ts';
import { readValues } from './form-values.ts';
import type { OperatorPage, PageDeps } from './page-deps.ts';
import { OPERATOR_PATH, type Session, toCaller } from './session.ts';

export interface ExportsPageDeps extends PageDeps {
  call: CallOperation;
  findOperation(operationId: string): Route;
  listChoices: ListChoices;
  translateFault(error: unknown): unknown;
}

const LOOKS: FormLayout['looks'] = {
  groupId: { label: 'Group', choices: 'groups' },
  all: { label: 'All devices' },
};
const section = 'Fleet';

export function exportsRoutes(deps: ExportsPageDeps): OperatorPage[] {
  const { call, findOperation, listChoices, layout, translateFault } = deps;

  const fieldsOf = (): Field[] => {
    const { query } = findOperation('exportMeasurements');
    return query ? toFields(describeSchema<Described>(query)) : [];
  };

  async function draw(session: Session, query: URLSearchParams, fault?: AppError): Promise<PageReply> {
    const rendered = fault && renderError(fault);
    const fields = fieldsOf();
    const options = await listChoices(session, { looks: LOOKS });
    const content = exportHtml({
      fields,
      values: readValues(fields, query),
      options,
      looks: LOOKS,
      fault: rendered?.body.message ?? null,
    });
    return {
      page: layout({ title: 'Export readings', session, section }, content),
      status: rendered?.status,
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
        if (query.get('step') !== 'download') return draw(session, query);
        const values = Object.entries(readValues(fieldsOf(), query)).filter(([, value]) => value !== false);
        const asked = Object.fromEntries(values.map(([name, value]) => [name, String(value)]));
        try {
          return await download(session, 'exportMeasurements', { query: asked, accept: 'text/csv' });
        } catch (thrown) {
          const error = translateFault(thrown);
          if (!(error instanceof AppError)) throw error;
          return draw(session, query, error);
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
