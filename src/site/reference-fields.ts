/** Fields of a JSON Schema as rows of a table. */
import { type ApiDocument, type DocumentSchema, resolveSchema, typesOf } from '../http/api-document.ts';

export interface FieldRow {
  /** `steps[].afterMinutes` is a field of each item of a list. */
  name: string;
  type: string;
  isRequired: boolean;
  text: string;
}

const DEPTH_MAX = 4;

/** Fields of an object, and of objects within it. An object of several kinds has the fields of each kind. */
export function rowsOf(document: ApiDocument, schema: DocumentSchema, prefix = '', depth = 0): FieldRow[] {
  const resolved = resolveSchema(document, schema);
  const kinds = resolved.anyOf ?? [resolved];
  const rows = kinds.flatMap((kind) => {
    const { properties = {}, required = [] } = resolveSchema(document, kind);
    return Object.entries(properties).flatMap(([name, property]) => [
      toRow(document, `${prefix}${name}`, property, required.includes(name)),
      ...(depth < DEPTH_MAX ? innerRows(document, `${prefix}${name}`, property, depth + 1) : []),
    ]);
  });
  return rows.filter((row, index) => rows.findIndex(({ name }) => name === row.name) === index);
}

function innerRows(document: ApiDocument, name: string, schema: DocumentSchema, depth: number): FieldRow[] {
  const resolved = resolveSchema(document, schema);
  return resolved.items
    ? rowsOf(document, resolved.items, `${name}[].`, depth)
    : rowsOf(document, resolved, `${name}.`, depth);
}

export function toRow(
  document: ApiDocument,
  name: string,
  schema: DocumentSchema,
  isRequired: boolean,
  description = schema.description,
): FieldRow {
  const resolved = resolveSchema(document, schema);
  return {
    name,
    type: typeText(document, resolved),
    isRequired,
    text: [description ?? resolved.description, limitsOf(resolved)].filter(Boolean).join(' '),
  };
}

function typeText(document: ApiDocument, schema: DocumentSchema): string {
  const types = typesOf(schema);
  const nullable = types.includes('null') ? ' or null' : '';
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(', ');
  if (schema.items) return `list of ${typeText(document, resolveSchema(document, schema.items))}${nullable}`;
  if (schema.anyOf)
    return schema.anyOf.map((each) => typeText(document, resolveSchema(document, each))).join(' or ');
  const [type = 'any'] = types;
  return `${schema.format ?? type}${nullable}`;
}

function limitsOf({ minimum, maximum, maxLength, maxItems, default: fallback }: DocumentSchema): string {
  const range = [minimum, maximum].some((each) => each !== undefined)
    ? `${minimum ?? '…'} to ${maximum ?? '…'}.`
    : '';
  return [
    range,
    maxLength === undefined ? '' : `At most ${maxLength} characters.`,
    maxItems === undefined ? '' : `At most ${maxItems} items.`,
    fallback === undefined ? '' : `Default: ${JSON.stringify(fallback)}.`,
  ]
    .filter(Boolean)
    .join(' ');
}
