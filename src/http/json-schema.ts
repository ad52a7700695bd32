/** Joi's own JSON Schema export, completed by null in enums, examples and deprecation. */
import type Joi from 'joi';
import { describeSchema, type SchemaDescription, type SchemaMeta } from './describe-schema.ts';

export type JsonSchema = { [key: string]: unknown };

type Exporter = { '~standard': { jsonSchema: { input(options: { target: string }): JsonSchema } } };

export function jsonSchema(schema: Joi.Schema, components: Record<string, JsonSchema>): JsonSchema {
  const exported = (schema as unknown as Exporter)['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  return completed(exported, describeSchema(schema), components);
}

function completed(
  schema: JsonSchema,
  described: SchemaDescription,
  components: Record<string, JsonSchema>,
): JsonSchema {
  const out = { ...schema };
  completeNull(out, described);
  if (described.examples?.length) out.examples = described.examples;
  const meta = Object.assign({}, ...(described.metas ?? [])) as SchemaMeta;
  if (meta.deprecated) out.deprecated = true;
  Object.assign(out, meta.docs);
  // The format says more, and generators would apply the length to their own type for times.
  if (out.format === 'date-time') delete out.minLength;
  completeChildren(out, described, components);
  if (meta.name === undefined) return out;
  return named(meta.name, out, described, components);
}

function completeNull(out: JsonSchema, { allow }: SchemaDescription): void {
  if (!allow?.includes(null)) return;
  if (Array.isArray(out.enum) && !out.enum.includes(null)) out.enum = [...out.enum, null];
  if (typeof out.type === 'string') out.type = [out.type, 'null'];
}

function completeChildren(
  out: JsonSchema,
  described: SchemaDescription,
  components: Record<string, JsonSchema>,
): void {
  const { keys, items, matches } = described;
  if (keys && out.properties) {
    const properties = out.properties as Record<string, JsonSchema>;
    out.properties = Object.fromEntries(
      Object.entries(properties).map(([key, value]) => [key, completed(value, keys[key] ?? {}, components)]),
    );
  }
  if (items?.[0] && items.length === 1 && out.items) {
    out.items = completed(out.items as JsonSchema, items[0], components);
  }
  if (matches && Array.isArray(out.anyOf)) {
    const branches = toBranches(matches);
    out.anyOf = out.anyOf.map((each, index) => completed(each, branches[index] ?? {}, components));
  }
}

/** In the order of Joi's export. */
const toBranches = (matches: NonNullable<SchemaDescription['matches']>): SchemaDescription[] =>
  matches
    .flatMap((match) => match.switch?.flatMap(({ then, otherwise }) => [then, otherwise]) ?? [match.schema])
    .filter((branch) => branch !== undefined);

/**
 * Moves defaults to descriptions: generators treat a field with a default as always present, which is wrong
 * for a request body.
 */
export function withoutDefaults(schema: JsonSchema): JsonSchema {
  if (!schema.properties) return schema;
  const properties = Object.entries(schema.properties as Record<string, JsonSchema>);
  return {
    ...schema,
    properties: Object.fromEntries(properties.map(([key, each]) => [key, described(each)])),
  };
}

function described({ default: value, ...schema }: JsonSchema): JsonSchema {
  const { description = '' } = schema as { description?: string };
  if (value === undefined || description.includes('Default: ')) return schema;
  const text = [description.replace(/\.$/, ''), `Default: ${JSON.stringify(value)}`]
    .filter(Boolean)
    .join('. ');
  return { ...schema, description: text };
}

/** A nullable named schema becomes `component | null`, so the component itself is not nullable. */
function named(
  name: string,
  schema: JsonSchema,
  { allow }: SchemaDescription,
  components: Record<string, JsonSchema>,
): JsonSchema {
  const reference = { $ref: `#/components/schemas/${name}` };
  const isNullable = allow?.includes(null) ?? false;
  const type =
    isNullable && Array.isArray(schema.type) ? schema.type.filter((each) => each !== 'null') : schema.type;
  components[name] = {
    ...withoutDefaults(schema),
    type: Array.isArray(type) && type.length === 1 ? type[0] : type,
  };
  return isNullable ? { anyOf: [reference, { type: 'null' }] } : reference;
}
