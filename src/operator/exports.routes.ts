/** Files that operations answer with: readings as a table, and calibration certificates. */
import { unknownSerials } from '../devices/serial-number.ts';
import type { PageReply } from '../http/page-route.ts';
import { DAY_MS } from '../process/durations.ts';
import { invalid } from '../process/errors.ts';
import { UUID } from '../process/uuid.ts';
import { type ChosenDevices, exportHtml, SERIAL_NUMBERS } from './export-html.ts';
import type { Values } from './form-fields.ts';
import type { FormLayout } from './form-layout.ts';
import { type FormPageDeps, given, type OperatorPage, type Refusal } from './page-deps.ts';
import { asAttachment, devicesInFile, toReadingsFile } from './readings-file.ts';
import { OPERATOR_PATH, type Session } from './session.ts';
import type { ShownAssetsRepository } from './shown-assets.repository.ts';

const LOOKS: FormLayout['looks'] = {
  from: { help: 'Readings that were measured then or later.' },
  to: { help: 'Readings that were measured before.' },
  serialNumbers: { need: 'or' },
  groupId: { label: 'Group', choices: 'groups', need: 'or', help: 'The devices that are in it now.' },
  all: { label: 'All devices', help: 'All that are not archived.' },
};
const section = 'Fleet';
const DEFAULT_DAYS = 7;

export interface ExportsPageDeps extends FormPageDeps {
  shownAssets: Pick<ShownAssetsRepository, 'list' | 'listBySerials'>;
}

export function exportsRoutes(deps: ExportsPageDeps): OperatorPage[] {
  const { ask, download, fieldsOf, listChoices, readTyped, layout, toRefusal, now, shownAssets } = deps;

  const listFields = () =>
    fieldsOf('exportMeasurements', 'query').map((field) =>
      field.name === 'assetIds' ? SERIAL_NUMBERS : field,
    );

  async function draw(session: Session, { values, chosen }: Asked, refusal?: Refusal): Promise<PageReply> {
    const options = await listChoices(session, { looks: LOOKS }, values);
    const faults = refusal?.messages.map(toWordsOfForm) ?? [];
    const content = exportHtml({ fields: listFields(), values, options, looks: LOOKS, faults }, chosen);
    return {
      page: layout({ title: 'Export readings', session, section }, content),
      status: refusal?.status,
    };
  }

  async function findChosen({ organizationId }: Session, query: URLSearchParams): Promise<ChosenDevices> {
    const ids = (query.get('assetIds') ?? '').split(',').filter((id) => UUID.test(id));
    return shownAssets.list(organizationId, ids);
  }

  /** By id. */
  async function listNamed({ organizationId }: Session, { serialNumbers }: Values): Promise<ChosenDevices> {
    const serials = serialNumbers as string[];
    const found = await shownAssets.listBySerials(organizationId, serials);
    const unknown = serials.filter((serial) => !found.has(serial.toLowerCase()));
    if (unknown.length > 0) throw invalid(unknownSerials(unknown));
    return shownAssets.list(
      organizationId,
      [...found.values()].map(({ id }) => id),
    );
  }

  async function nameGroup(session: Session, { groupId }: Values): Promise<string> {
    if (typeof groupId !== 'string') return 'all-devices';
    return (await ask(session, 'getGroup', { params: { groupId } })).name;
  }

  async function exportReadings(session: Session, { values, chosen }: Asked): Promise<PageReply> {
    const { from, to, groupId, all, serialNumbers } = values;
    const named =
      [serialNumbers].flat().length > 0 && chosen.size === 0 ? await listNamed(session, values) : chosen;
    const query = given({
      from: asText(from),
      to: asText(to),
      assetIds: [...named.keys()].join(),
      groupId: asText(groupId),
      all: asText(all),
    });
    // Before the stream begins, which nothing would close after a failure.
    const what = named.size > 0 ? devicesInFile([...named.values()]) : await nameGroup(session, values);
    const file = await download(session, 'exportMeasurements', { query, accept: 'text/csv' });
    const span = { from: new Date(String(from)), to: new Date(String(to)) };
    return { ...file, headers: { ...file.headers, ...asAttachment(toReadingsFile(what, span)) } };
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
        const chosen = await findChosen(session, query);
        if (query.get('step') !== 'download')
          return draw(session, { values: { ...lastDays(now()), ...values }, chosen });
        try {
          if (fault) throw fault;
          return await exportReadings(session, { values, chosen });
        } catch (thrown) {
          return draw(session, { values, chosen }, toRefusal(thrown));
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

/** The operation names its own parameters. */
const toWordsOfForm = (message: string): string =>
  message.replace('assetIds', SERIAL_NUMBERS.name).replace(/\ball\b(?:=true)?/, 'All devices');

interface Asked {
  values: Values;
  chosen: ChosenDevices;
}

const lastDays = (now: Date): Values => ({
  from: new Date(now.getTime() - DEFAULT_DAYS * DAY_MS).toISOString(),
  to: now.toISOString(),
});

/** A box that is not ticked says nothing. */
const asText = (value: unknown): string | false => value !== undefined && value !== false && String(value);
