/** A command for each layout: its parameters, options and output follow from the operation. */
import { type Client, each, type Result } from '../../client/src/index.ts';
import {
  type ApiDocument,
  type ApiOperation,
  answerOf,
  documentedOperation,
  operationsOf,
} from '../http/api-document.ts';
import { withoutCase } from '../http/one-line.ts';
import { notFound } from '../process/errors.ts';
import { UUID } from '../process/uuid.ts';
import { byApi } from './api.ts';
import {
  type Command,
  type CommandInput,
  type CommandOption,
  LIMIT_DEFAULT,
  option,
  UsageError,
} from './command.ts';
import {
  fileOptions,
  JSON_TYPE,
  type Sent,
  sendFile,
  sendForList,
  sendForObject,
} from './operation-answers.ts';
import {
  type CommandField,
  fieldsOf,
  placeholderOf,
  positionalName,
  positionalsIn,
} from './operation-fields.ts';
import { type OperationLayout, operationsIn } from './operation-layout.ts';
import { parseJson, toValue, withField } from './operation-values.ts';
import { readInput, readSecret } from './read-input.ts';

/** An operation with everything that is derived from it. */
interface Described {
  document: ApiDocument;
  operation: ApiOperation;
  layout: OperationLayout;
  fields: CommandField[];
  positionals: CommandField[];
  options: CommandField[];
  /** Media types of the answer. */
  answers: string[];
}

export function createOperationCommands(
  document: ApiDocument,
  layouts: Readonly<Record<string, OperationLayout>>,
): Command[] {
  const operations = new Map(operationsOf(document).map((each) => [each.id, each]));
  return Object.entries(layouts).map(([words, layout]) => {
    const [id = ''] = operationsIn(layout);
    const operation = operations.get(id);
    if (!operation) throw new Error(`There is no operation ${id}`);
    return toCommand(words.split(' '), describe(document, operation, layout));
  });
}

function describe(document: ApiDocument, operation: ApiOperation, layout: OperationLayout): Described {
  const fields = fieldsOf(document, operation).filter(
    ({ path: [name = ''] }) => !(name in (layout.body ?? {})),
  );
  const positionals = positionalsIn(fields);
  return {
    document,
    operation,
    layout,
    fields,
    positionals,
    options: fields.filter((field) => !positionals.includes(field)),
    answers: Object.keys(answerOf(document, documentedOperation(document, operation))),
  };
}

function toCommand(words: string[], described: Described): Command {
  const { operation, layout, positionals, document } = described;
  const { summary } = documentedOperation(document, operation);
  return {
    words,
    args: [...positionals.map(positionalName), ...(isUpload(operation) ? ['FILE'] : [])].join(' '),
    options: optionsOf(described),
    summary: `${summary.charAt(0).toLowerCase()}${summary.slice(1)}`,
    ...(layout.succeeded !== undefined && { details: `Exit code 1: ${layout.succeeded} is false.` }),
    operations: operationsIn(layout),
    ...byApi(async (api, input) => {
      const given = await readGiven(api.dms, input, described);
      const sent = { api, input, given, layout, operation };
      if (described.answers.length > 0 && isFileAsked(input, described))
        return sendFile(sent, described.answers);
      return layout.columns ? sendForList(sent, layout.columns) : sendForObject(sent);
    }),
  };
}

const isUpload = ({ body }: ApiOperation): boolean => body !== null && body !== JSON_TYPE;

const isFileAsked = (input: CommandInput, { answers }: Described): boolean =>
  answers[0] !== JSON_TYPE || option(input, 'format') !== undefined || option(input, 'output') !== undefined;

const BODY_OPTION: CommandOption = {
  name: 'body',
  value: 'FILE',
  help: 'The whole body as JSON, - for the standard input. Options go before it.',
};
const LIST_OPTIONS: CommandOption[] = [
  { name: 'limit', value: 'N', help: `How many are shown. Default: ${LIMIT_DEFAULT}` },
  { name: 'all', value: null, help: 'Shows all, however many there are' },
];

function optionsOf({ operation, layout, options, answers }: Described): CommandOption[] {
  const isFile = answers.some((type) => type !== JSON_TYPE);
  return [
    ...options.map((field) => ({ name: field.name, value: placeholderOf(field), help: helpOf(field) })),
    ...(operation.body === JSON_TYPE ? [BODY_OPTION] : []),
    ...(layout.columns && operation.query.includes('cursor') ? LIST_OPTIONS : []),
    ...(isFile ? fileOptions(answers) : []),
  ];
}

function helpOf({ kind, help, choices }: CommandField): string {
  if (kind === 'secret') return `${help} Asked for and not shown, or read from the standard input.`.trim();
  return kind === 'texts' && choices.length > 0 ? `${help}. Of: ${choices.join(', ')}` : help;
}

/** The parameters and the body, as the client takes them. */
async function readGiven(dms: Client, input: CommandInput, described: Described): Promise<Sent['given']> {
  const { operation, layout, positionals } = described;
  const typed = typedValues(input, described);
  const clock = { now: new Date(), isPast: layout.isPast ?? operation.method === 'GET' };
  let parameters: Record<string, unknown> = {};
  let body: Record<string, unknown> = { ...layout.body, ...(await readBody(input)) };
  for (const [field, text] of typed) {
    const value = await toReference(dms, field, toValue(field, await text(), clock));
    if (field.place === 'body') body = withField(body, field.path, value);
    else parameters = withField(parameters, field.path, value);
  }
  requireFields(described.fields, body);
  const file = input.positionals[positionals.length];
  if (isUpload(operation)) return { ...parameters, body: await readInput(file as string) };
  return { ...parameters, ...(operation.body !== null && { body }) };
}

type Typed = [CommandField, () => Promise<string> | string];

function typedValues(input: CommandInput, { positionals, options }: Described): Typed[] {
  const placed = positionals.map((field, index): Typed => {
    const rest = input.positionals.slice(index);
    return [field, readerOf(field.kind === 'texts' ? rest.join(',') : (rest[0] as string), field)];
  });
  const chosen = options.flatMap((field): Typed[] => {
    const given = input.options[field.name];
    return given === undefined ? [] : [[field, readerOf(String(given), field)]];
  });
  return [...placed, ...chosen];
}

const HIDDEN = '-';

/** Arguments are visible to every program on the machine, so a value can be asked for. */
const readerOf =
  (given: string, { kind, path }: CommandField): Typed[1] =>
  () =>
    kind === 'secret' || given === HIDDEN ? readSecret(`${path.at(-1)}: `) : given;

async function readBody(input: CommandInput): Promise<Record<string, unknown>> {
  const file = option(input, 'body');
  if (file === undefined) return {};
  const body = parseJson((await readInput(file)).toString('utf8'), '--body');
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>;
  throw new UsageError('--body must be a JSON object');
}

/** Those that are no positionals, and so were not asked for by the command line itself. */
function requireFields(fields: readonly CommandField[], body: Record<string, unknown>): void {
  const isMissing = ({ place, isRequired, path: [name = ''] }: CommandField) =>
    place === 'body' && isRequired && body[name] === undefined;
  const missing = fields.filter(isMissing).map(({ name }) => `--${name}`);
  if (missing.length > 0) throw new UsageError(`Needed: ${missing.join(', ')}, or --body FILE with it`);
}

/** Devices are typed by serial number and groups by name, and the operation takes their ids. */
async function toReference(dms: Client, { path }: CommandField, value: unknown): Promise<unknown> {
  const name = path.at(-1) as string;
  const find = FINDERS[name.replace(/s$/, '')];
  if (!find || value === null) return value;
  const ids: string[] = [];
  // One by one, because a long list would use up the limit of requests.
  for (const text of name.endsWith('s') ? [value].flat().flatMap(split) : [String(value)])
    ids.push(await find(dms, text));
  return Array.isArray(value) ? ids : ids.join(',');
}

/** A query has several ids in one value. */
const split = (value: unknown): string[] => String(value).split(',');

/** The maximum of the service, because a name is searched in all groups. */
const GROUPS_PAGE = { limit: 500 };

const findAssetId = async (dms: Client, typed: string): Promise<string> =>
  UUID.test(typed) ? typed : (await dms.getDeviceConfig({ serial: typed })).assetId;

const findGroupId = async (dms: Client, typed: string): Promise<string> =>
  UUID.test(typed) ? typed : (await findGroup(dms, typed)).id;

/** Finds a group by name, compared without case. */
async function findGroup(dms: Client, name: string): Promise<Result<'getGroup'>> {
  for await (const group of each(dms.listGroups, GROUPS_PAGE))
    if (withoutCase(group.name) === withoutCase(name)) return group;
  throw notFound(`There is no group "${name}": see dms groups list`);
}

const FINDERS: Record<string, (dms: Client, text: string) => Promise<string>> = {
  assetId: findAssetId,
  groupId: findGroupId,
};
