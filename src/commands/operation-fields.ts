/** Arguments and options of a command, derived from the parameters and the body of its operation. */
import {
  type ApiDocument,
  type ApiOperation,
  type DocumentSchema,
  documentedOperation,
  parametersOf,
  resolveSchema,
  typesOf,
} from '../http/api-document.ts';

export type FieldKind = 'text' | 'number' | 'boolean' | 'flag' | 'time' | 'texts' | 'json' | 'secret';

export interface CommandField {
  /** On the command line: without hyphens for an option, in capitals for a positional. */
  name: string;
  place: 'path' | 'query' | 'body';
  /** The name of the parameter, or the path in the body. */
  path: readonly string[];
  kind: FieldKind;
  choices: readonly string[];
  isNullable: boolean;
  isRequired: boolean;
  help: string;
}

/** Parameters by which lists are paged through. */
const PAGING = ['limit', 'cursor'];

export function fieldsOf(document: ApiDocument, operation: ApiOperation): CommandField[] {
  const documented = documentedOperation(document, operation);
  const parameters = parametersOf(document, documented).filter(
    ({ in: place, name }) => place !== 'header' && !(place === 'query' && PAGING.includes(name)),
  );
  const body = operation.body === 'application/json' ? documented.requestBody?.content[operation.body] : null;
  return [
    ...parameters.map(({ in: place, name, required = false, description, schema }) => {
      const resolved = { description, ...resolveSchema(document, schema) };
      return toField(resolved, { place: place as 'path' | 'query', path: [name], isRequired: required });
    }),
    ...(body ? bodyFields(document, resolveSchema(document, body.schema)) : []),
  ];
}

/** Objects become one option for each of their fields, one level deep; deeper values are JSON. */
function bodyFields(
  document: ApiDocument,
  { properties = {}, required = [] }: DocumentSchema,
  parents: string[] = [],
): CommandField[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const schema = { ...resolveSchema(document, property) };
    const path = [...parents, name];
    const field = toField(schema, {
      place: 'body',
      path,
      isRequired: parents.length === 0 && required.includes(name),
    });
    if (!schema.properties || parents.length > 0) return [field];
    const none = field.isNullable ? [{ ...field, choices: ['null'] }] : [];
    return [...none, ...bodyFields(document, schema, path)];
  });
}

function toField(
  schema: DocumentSchema,
  place: Pick<CommandField, 'place' | 'path' | 'isRequired'>,
): CommandField {
  const kind = kindOf(schema, place.place);
  const choices = kind === 'boolean' ? ['true', 'false'] : textsIn(schema.enum ?? schema.items?.enum);
  return {
    ...place,
    name: place.path.map(toOptionName).join('-'),
    kind,
    choices: kind === 'flag' ? [] : choices,
    isNullable: typesOf(schema).includes('null'),
    help: schema.description ?? '',
  };
}

function kindOf(schema: DocumentSchema, place: CommandField['place']): FieldKind {
  const types = typesOf(schema);
  if (schema.writeOnly) return 'secret';
  if (types.includes('boolean')) return isFlag(schema, place) ? 'flag' : 'boolean';
  if (types.includes('array')) return isOfTexts(schema.items) ? 'texts' : 'json';
  if (types.includes('object') || types.length === 0) return 'json';
  if (types.includes('integer') || types.includes('number')) return 'number';
  return schema.format === 'date-time' ? 'time' : 'text';
}

/** A boolean that can only be true, or is false by default. */
const isFlag = (schema: DocumentSchema, place: CommandField['place']): boolean =>
  (schema.enum?.length === 1 && schema.enum[0] === true) || (place === 'query' && schema.default === false);

const isOfTexts = (items: DocumentSchema | undefined): boolean => items?.type === 'string';

const textsIn = (values: readonly unknown[] = []): string[] =>
  values.filter((value) => typeof value === 'string');

/** References by id are typed as the name that people know. */
const toOptionName = (name: string): string =>
  name.replace(/^(asset|group)Id(s?)$/, '$1$2').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const POSITIONAL_KINDS: FieldKind[] = ['text', 'number', 'time', 'texts'];

/** Parameters of the path, then required ones of the query and the body; a list comes last. */
export function positionalsIn(fields: readonly CommandField[]): CommandField[] {
  const isTaken = ({ place, isRequired, kind }: CommandField) =>
    place === 'path' || (isRequired && POSITIONAL_KINDS.includes(kind));
  const taken = fields.filter(isTaken);
  return [...taken.filter(({ kind }) => kind !== 'texts'), ...taken.filter(({ kind }) => kind === 'texts')];
}

const POSITIONAL_NAMES: Record<string, string> = {
  assetId: 'SERIAL',
  serial: 'SERIAL',
  serialNumber: 'SERIAL',
  serialNumbers: 'SERIAL…',
  newSerialNumber: 'NEW_SERIAL',
  groupId: 'GROUP',
  webhookId: 'WEBHOOK',
  deliveryId: 'DELIVERY',
};

/** A choice is shown by its values, which makes the valid ones known. */
export function positionalName({ path, choices }: CommandField): string {
  const name = path.at(-1) as string;
  if (choices.length > 0) return choices.join('|');
  if (POSITIONAL_NAMES[name] !== undefined) return POSITIONAL_NAMES[name];
  return name.endsWith('Id') ? 'ID' : name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

const PLACEHOLDERS: Record<FieldKind, string | null> = {
  text: 'TEXT',
  number: 'N',
  boolean: 'true|false',
  flag: null,
  time: 'TIME',
  texts: 'TEXT,…',
  json: 'JSON',
  secret: null,
};

/** The placeholder of an option; null for one without a value. */
export function placeholderOf({ kind, choices, isNullable }: CommandField): string | null {
  if (kind === 'texts' || kind === 'flag' || kind === 'secret') return PLACEHOLDERS[kind];
  if (choices.length === 0) return PLACEHOLDERS[kind];
  return [...new Set([...choices, ...(isNullable ? ['null'] : [])])].join('|');
}
