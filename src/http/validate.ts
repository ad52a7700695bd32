/** Shape in: Joi schemas become values or one plain sentence about the first fault. */
import Joi from 'joi';
import { invalid } from '../errors.ts';
import { isStorable } from './read-body.ts';

const MESSAGE_MAX = 400;

const shared: Joi.ValidationOptions = {
  abortEarly: true,
  errors: { wrap: { label: false }, label: 'path' },
  messages: { 'object.base': '{{#label}} must be an object', 'object.unknown': '{{#label}} is not allowed' },
};
const bodyOptions: Joi.ValidationOptions = { ...shared, convert: false };
const queryOptions: Joi.ValidationOptions = { ...shared, convert: true };

export function validateBody<T>(schema: Joi.Schema<T>, value: unknown): T {
  return validate(schema, value ?? {}, bodyOptions, 'the body');
}

export function validateQuery<T>(schema: Joi.Schema<T>, value: Record<string, unknown>): T {
  for (const [name, text] of Object.entries(value)) {
    if (![name, ...[text].flat()].every((part) => isStorable(String(part)))) {
      throw invalid('The query must hold no NUL character and no half of a surrogate pair');
    }
  }
  return validate(schema, value, queryOptions, 'the query');
}

/** Whether path parameters can name anything at all; what cannot is simply not found. */
export function isValidParams(schema: Joi.Schema, value: unknown): boolean {
  return schema.validate(value, bodyOptions).error === undefined;
}

function validate<T>(schema: Joi.Schema<T>, value: unknown, options: Joi.ValidationOptions, root: string): T {
  const result = schema.validate(value, options);
  if (result.error) throw invalid(sentence(result.error, root));
  return result.value as T;
}

/** The first fault, with the root named in words and never longer than a message should be. */
function sentence(error: Joi.ValidationError, root: string): string {
  const message = error.message.replace(/^value /, `${root} `);
  return message.length > MESSAGE_MAX ? `${message.slice(0, MESSAGE_MAX)}…` : message;
}

export const noParameters = Joi.object({});
