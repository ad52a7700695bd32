/** Joi's description of a schema. */
import type Joi from 'joi';

const described = new WeakMap<Joi.Schema, unknown>();

/**
 * Describes each schema once. Joi checks each description against a schema of its own, which would take most of
 * the start.
 */
export function describeSchema<Described>(schema: Joi.Schema): Described {
  if (!described.has(schema)) described.set(schema, schema.describe());
  return described.get(schema) as Described;
}
