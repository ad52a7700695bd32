/** What Joi knows of a schema. */
import type Joi from 'joi';

const described = new WeakMap<Joi.Schema, unknown>();

/** Joi checks each description against a schema of its own, which takes most of the start: each schema is described once. */
export function describeSchema<Described>(schema: Joi.Schema): Described {
  if (!described.has(schema)) described.set(schema, schema.describe());
  return described.get(schema) as Described;
}
