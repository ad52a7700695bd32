/**
 * Validates requests: turns Joi schemas into functions that return the value or throw one sentence about the
 * first fault.
 */
import Joi from 'joi';
import { cutText } from '../process/cut-text.ts';
import { invalid, notFound } from '../process/errors.ts';
import { describeSchema } from './describe-schema.ts';
import { createListCursors } from './list-cursors.ts';
import { isStorable } from './read-body.ts';
import type { Route } from './route.ts';

const MESSAGE_MAX = 400;

const shared: Joi.ValidationOptions = {
  abortEarly: true,
  errors: { wrap: { label: false }, label: 'path' },
  messages: {
    'object.base': '{{#label}} must be an object',
    'object.unknown': '{{#label}} is not allowed',
    // Joi's own message would quote the value.
    'string.pattern.base': '{{#label}} does not have the required form',
    'string.pattern.name': '{{#label}} must contain {{#name}}',
  },
};

type Validate = (value: unknown) => unknown;

/** Names of the whole and of a field in sentences. */
interface Names {
  root: string;
  field: string;
}

const BODY: Names = { root: 'the body', field: 'a field' };
const QUERY: Names = { root: 'the query', field: 'a parameter' };

/** Compiled once per route, because passing options with each call costs as much as the validation itself. */
export function bodyValidator(schema: Joi.Schema): Validate {
  const compiled = schema.prefs({ ...shared, convert: false });
  const lists = listsOf(schema);
  // No body at all counts as an empty object; null does not.
  return (value = {}) => validated(compiled, cutLists(value, lists), BODY);
}

/** As `bodyValidator`, but returns a sentence about every fault, up to `faultsMax`. */
export function bodyFaults(schema: Joi.Schema, faultsMax: number): (value: unknown) => string[] {
  const compiled = schema.prefs({ ...shared, convert: false, abortEarly: false });
  const lists = listsOf(schema);
  return (value = {}) => {
    const { error } = compiled.validate(cutLists(value, lists));
    return (error?.details ?? []).slice(0, faultsMax).map((detail) => sentence(detail, BODY));
  };
}

/** The lists of a body, with their maximum number of items. */
type Lists = Array<{ name: string; itemsMax: number }>;

function listsOf(schema: Joi.Schema): Lists {
  const { keys = {} } = describeSchema(schema);
  return Object.entries(keys).flatMap(([name, { rules = [] }]) => {
    const limit = rules.find((rule) => rule.name === 'max')?.args?.limit;
    return typeof limit === 'number' && keys[name]?.type === 'array' ? [{ name, itemsMax: limit }] : [];
  });
}

/**
 * Joi validates every item of a list before it counts them. So a list that is too long is cut to one item
 * above its maximum: Joi still refuses it, and sooner.
 */
function cutLists(body: unknown, lists: Lists): unknown {
  if (typeof body !== 'object' || body === null) return body;
  let cut = body as Record<string, unknown>;
  for (const { name, itemsMax } of lists) {
    const list = cut[name];
    if (!Array.isArray(list) || list.length <= itemsMax + 1) continue;
    cut = { ...cut, [name]: list.slice(0, itemsMax + 1) };
  }
  return cut;
}

function queryValidator(schema: Joi.Schema): Validate {
  const compiled = schema.prefs({ ...shared, convert: true });
  const keys = Object.keys(describeSchema(schema).keys ?? {});
  const wholeNumbers = wholeNumbersOf(schema);
  return (value) => {
    for (const [name, text] of Object.entries(value as Record<string, unknown>)) {
      if (![name, ...[text].flat()].every((part) => isStorable(String(part)))) {
        throw invalid('The query must hold no NUL character and no half of a surrogate pair');
      }
      // Joi silently drops this key, while it reports every other unknown one.
      if (name === '__proto__') throw invalid('__proto__ is not allowed');
      if (Array.isArray(text) && keys.includes(name)) throw invalid(`${name} must be given once`);
    }
    return validated(compiled, requireDigits(value as Record<string, unknown>, wholeNumbers), QUERY);
  };
}

function wholeNumbersOf(schema: Joi.Schema): string[] {
  const { keys = {} } = describeSchema(schema);
  return Object.entries(keys)
    .filter(([, { type, rules = [] }]) => type === 'number' && rules.some(({ name }) => name === 'integer'))
    .map(([name]) => name);
}

const DIGITS = /^-?\d+$/;

/** Joi also accepts numbers such as 1e2. */
function requireDigits(query: Record<string, unknown>, names: string[]): unknown {
  const other = names.find((name) => typeof query[name] === 'string' && !DIGITS.test(query[name]));
  if (other !== undefined) throw invalid(`${other} must be a whole number, in digits`);
  return query;
}

/** Whether path parameters are well-formed; malformed ones are answered as not found. */
function paramsCheck(schema: Joi.Schema): (value: unknown) => boolean {
  const compiled = schema.prefs({ convert: false });
  return (value) => compiled.validate(value).error === undefined;
}

function validated(schema: Joi.Schema, value: unknown, names: Names): unknown {
  const result = schema.validate(value);
  const [first] = result.error?.details ?? [];
  if (first) throw invalid(sentence(first, names));
  return result.value;
}

/** A fault, with a name for the root, cut to a readable length. */
function sentence(fault: Joi.ValidationErrorItem, { root, field }: Names): string {
  // Joi's message would name the whole.
  if (fault.path.at(-1) === '') return `${field} without a name is not allowed`;
  // Joi shows the only valid value as a list.
  const message = fault.message
    .replace(/^value /, `${root} `)
    .replace(/ must be \[([^\]]*)\]$/, ' must be $1');
  return cutText(message, MESSAGE_MAX, '…');
}

const noParameters = Joi.object({});

type Values = Record<string, unknown>;

/** The schemas of one route's request, compiled once. */
export function compileRequestSchema(definition: Route) {
  const { tag, params, query, body } = definition;
  const cursors = createListCursors(definition);
  const validateQuery = queryValidator(query ?? noParameters);
  const validateBody = bodyValidator(body ?? noParameters);
  const isParams = params ? paramsCheck(params) : () => true;
  return {
    query: (values: Values, ofPath: Values) =>
      validateQuery(cursors ? cursors.read(values, ofPath as Record<string, string>) : values),
    body: (value: unknown) => (body || value !== undefined ? validateBody(value) : undefined),
    params(value: unknown): unknown {
      if (!isParams(value)) throw notFound(`${tag}: nothing has this name or id`);
      return value;
    },
  };
}
