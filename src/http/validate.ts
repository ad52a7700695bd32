/** Validates requests: Joi schemas become functions that return the value or throw one sentence on the first fault. */
import Joi from 'joi';
import { invalid } from '../process/errors.ts';
import { isStorable } from './read-body.ts';

const MESSAGE_MAX = 400;

const shared: Joi.ValidationOptions = {
  abortEarly: true,
  errors: { wrap: { label: false }, label: 'path' },
  messages: { 'object.base': '{{#label}} must be an object', 'object.unknown': '{{#label}} is not allowed' },
};

export type Validate = (value: unknown) => unknown;

/** Compiled once per route: passing options with each call costs as much as the validation itself. */
export function bodyValidator(schema: Joi.Schema): Validate {
  const compiled = schema.prefs({ ...shared, convert: false });
  // No body at all counts as an empty object; null does not.
  return (value = {}) => validated(compiled, value, 'the body');
}

export function queryValidator(schema: Joi.Schema): Validate {
  const compiled = schema.prefs({ ...shared, convert: true });
  return (value) => {
    for (const [name, text] of Object.entries(value as Record<string, unknown>)) {
      if (![name, ...[text].flat()].every((part) => isStorable(String(part)))) {
        throw invalid('The query must hold no NUL character and no half of a surrogate pair');
      }
      // Joi drops this one key silently where it reports every other unknown one.
      if (name === '__proto__') throw invalid('__proto__ is not allowed');
    }
    return validated(compiled, value, 'the query');
  };
}

/** Whether path parameters are well-formed; malformed ones are answered as not found. */
export function paramsCheck(schema: Joi.Schema): (value: unknown) => boolean {
  const compiled = schema.prefs({ convert: false });
  return (value) => compiled.validate(value).error === undefined;
}

function validated(schema: Joi.Schema, value: unknown, root: string): unknown {
  const result = schema.validate(value);
  if (result.error) throw invalid(sentence(result.error, root));
  return result.value;
}

/** The first fault, with a name for the root, and cut to a readable length. */
function sentence(error: Joi.ValidationError, root: string): string {
  const message = error.message.replace(/^value /, `${root} `);
  return message.length > MESSAGE_MAX ? `${message.slice(0, MESSAGE_MAX).toWellFormed()}…` : message;
}

export const noParameters = Joi.object({});
