/** Joi's own JSON Schema export, with what it leaves out: null in enums, examples, deprecation. */
import type Joi from 'joi';

export type JsonSchema = { [key: string]: unknown };

interface Described {
  type?: string;
  allow?: unknown[];
  examples?: unknown[];
  metas?: Array<{ name?: string; deprecated?: boolean; docs?: JsonSchema }>;
  keys?: Record<string, Described>;
  items?: Described[];
  matches?: Array<{ schema?: Described }>;
  flags?: { only?: boolean };
}

type Exporter = { '~standard': { jsonSchema: { input(options: { target: string }): JsonSchema } } };

export function jsonSchema(schema: Joi.Schema, components: Record<string, JsonSchema>): JsonSchema {
  const exported = (schema as unknown as Exporter)['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  return mended(exported, schema.describe() as Described, components);
}

function mended(
  schema: JsonSchema,
  described: Described,
  components: Record<string, JsonSchema>,
): JsonSchema {
  const out = { ...schema };
  mendNull(out, described);
  if (described.examples?.length) out.examples = described.examples;
  const meta = Object.assign({}, ...(described.metas ?? [])) as NonNullable<Described['metas']>[number];
  if (meta.deprecated) out.deprecated = true;
  Object.assign(out, meta.docs);
  mendChildren(out, described, components);
  if (meta.name === undefined) return out;
  return named(meta.name, out, described, components);
}

function mendNull(out: JsonSchema, { allow }: Described): void {
  if (!allow?.includes(null)) return;
  if (Array.isArray(out.enum) && !out.enum.includes(null)) out.enum = [...out.enum, null];
  if (typeof out.type === 'string') out.type = [out.type, 'null'];
}

function mendChildren(out: JsonSchema, described: Described, components: Record<string, JsonSchema>): void {
  const { keys, items, matches } = described;
  if (keys && out.properties) {
    const properties = out.properties as Record<string, JsonSchema>;
    out.properties = Object.fromEntries(
      Object.entries(properties).map(([key, value]) => [key, mended(value, keys[key] ?? {}, components)]),
    );
  }
  if (items?.[0] && items.length === 1 && out.items) {
    out.items = mended(out.items as JsonSchema, items[0], components);
  }
  if (matches && Array.isArray(out.anyOf)) {
    out.anyOf = out.anyOf.map((each, index) => mended(each, matches[index]?.schema ?? {}, components));
  }
}

/** A nullable named schema becomes `component | null`, so the component itself is not nullable. */
function named(
  name: string,
  schema: JsonSchema,
  { allow }: Described,
  components: Record<string, JsonSchema>,
): JsonSchema {
  const reference = { $ref: `#/components/schemas/${name}` };
  const isNullable = allow?.includes(null) ?? false;
  const type =
    isNullable && Array.isArray(schema.type) ? schema.type.filter((each) => each !== 'null') : schema.type;
  components[name] = { ...schema, type: Array.isArray(type) && type.length === 1 ? type[0] : type };
  return isNullable ? { anyOf: [reference, { type: 'null' }] } : reference;
}
