/** Fields of a form, from the schema of the operation that takes it. */
import type { SchemaDescription, SchemaMeta } from '../http/describe-schema.ts';

/** Values of the fields, by name. */
export type Values = Record<string, unknown>;

export type FieldKind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'choices'
  | 'texts'
  | 'time'
  | 'group'
  | 'rows';

export interface Field {
  name: string;
  kind: FieldKind;
  isRequired: boolean;
  /** An empty input of a change takes the value away. */
  isNullable: boolean;
  /** The stored value is never shown. */
  isSecret: boolean;
  isInteger: boolean;
  min?: number;
  max?: number;
  options: readonly string[];
  help?: string;
  default?: unknown;
  example?: string;
  /** Fields of a group, or of each row. */
  fields: readonly Field[];
}

export const toFields = ({ keys = {} }: SchemaDescription): Field[] =>
  Object.entries(keys).map(([name, described]) => toField(name, described));

export function toField(name: string, described: SchemaDescription): Field {
  const { flags = {}, allow = [], rules = [], examples = [] } = described;
  const docs = Object.assign({}, ...(described.metas ?? []).map((meta) => meta.docs)) as Docs;
  const kind = kindOf(described, docs);
  const [item = {}] = described.items ?? [];
  return {
    name,
    kind,
    isRequired: flags.presence === 'required',
    isNullable: allow.includes(null),
    isSecret: docs.writeOnly === true,
    isInteger: rules.some((rule) => rule.name === 'integer'),
    min: limitOf(rules, 'min'),
    max: docs.maxLength ?? limitOf(rules, 'max'),
    options: textsIn(kind === 'choices' ? item.allow : allow),
    help: flags.description,
    default: flags.default,
    example: kind === 'text' && typeof examples[0] === 'string' ? examples[0] : undefined,
    fields: toFields(kind === 'rows' ? item : described),
  };
}

type Docs = NonNullable<SchemaMeta['docs']>;

function kindOf({ type, flags, items: [item] = [] }: SchemaDescription, docs: Docs): FieldKind {
  if (type === 'boolean') return 'boolean';
  if (type === 'array') return item?.type === 'object' ? 'rows' : item?.flags?.only ? 'choices' : 'texts';
  if (type === 'object') return 'group';
  if (flags?.only) return 'choice';
  if (type === 'number') return 'number';
  return docs.format === 'date-time' ? 'time' : 'text';
}

function limitOf(rules: NonNullable<SchemaDescription['rules']>, name: string): number | undefined {
  const limit = rules.find((rule) => rule.name === name)?.args?.limit;
  return typeof limit === 'number' ? limit : undefined;
}

const textsIn = (values: readonly unknown[] = []): string[] =>
  values.filter((value) => typeof value === 'string');
