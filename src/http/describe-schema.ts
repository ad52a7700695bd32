/** Joi's description of a schema. */
import type Joi from 'joi';

/** The parts of a description that `src/http` and forms read. */
export interface SchemaDescription {
  type?: string;
  flags?: { presence?: string; only?: boolean; unknown?: boolean; description?: string; default?: unknown };
  allow?: unknown[];
  examples?: unknown[];
  rules?: Array<{ name: string; args?: { limit?: unknown } }>;
  metas?: SchemaMeta[];
  keys?: Record<string, SchemaDescription>;
  items?: SchemaDescription[];
  matches?: Array<{
    schema?: SchemaDescription;
    switch?: Array<{ then?: SchemaDescription; otherwise?: SchemaDescription }>;
  }>;
}

export interface SchemaMeta {
  name?: string;
  deprecated?: boolean;
  isOfOneList?: boolean;
  docs?: { format?: string; maxLength?: number; writeOnly?: boolean };
}

const described = new WeakMap<Joi.Schema, SchemaDescription>();

/**
 * Describes each schema once. Joi checks each description against a schema of its own, which would take most of
 * the start.
 */
export function describeSchema(schema: Joi.Schema): SchemaDescription {
  const description = described.get(schema) ?? (schema.describe() as SchemaDescription);
  described.set(schema, description);
  return description;
}
