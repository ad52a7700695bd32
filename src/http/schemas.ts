/** Schemas shared by all resources. */
import Joi from 'joi';
import type { Actor } from '../db/transaction.ts';
import { timeOf } from '../process/iso-time.ts';
import { UUID } from '../process/uuid.ts';
import { isOneLine, isVisible, toName } from './one-line.ts';

const NO_ID = '{{#label}} must be an id, such as 019cb0a6-51d8-7e0a-b1c3-94f2a7d8e6b5';

/** Converted to lower case. */
export const uuid = () =>
  Joi.string()
    .pattern(UUID)
    .custom((id: string) => id.toLowerCase())
    .messages({ 'string.pattern.base': NO_ID });

/** Ids of assets, separated by commas; each once. */
export const assetIds = (idsMax: number) =>
  Joi.string()
    .custom((text: string, helpers) => {
      const ids = [...new Set(text.toLowerCase().split(','))];
      const areIds = ids.length <= idsMax && ids.every((id) => UUID.test(id));
      const fault = `{{#label}} must be 1 to ${idsMax} ids of assets, separated by commas`;
      return areIds ? ids : helpers.message({ custom: fault });
    })
    .meta({ docs: { type: 'string' } });

/** A path parameter with an id. A malformed id cannot exist, so it is answered with 404. */
export const idParams = <Name extends string>(name: Name): Joi.ObjectSchema<Record<Name, string>> =>
  Joi.object({ [name]: uuid().required() }) as Joi.ObjectSchema<Record<Name, string>>;

/** A name, normalized by `toName` before it is stored. */
export const name = (charactersMax: number) => lineOf(asName(charactersMax), charactersMax);

/** A name that is shown to its owner exactly as sent. */
export const nameAsSent = (charactersMax: number) => lineOf(Joi.string(), charactersMax);

/** Text with any number of lines. */
export const textAsSent = (charactersMax: number) =>
  notBlank(Joi.string(), charactersMax).custom((text: string, helpers) =>
    isVisible(text) ? text : helpers.message({ custom: BLANK }),
  );

/** Text to search in names, normalized by `toName` as they are. */
export const textToFind = (charactersMax: number) => notBlank(asName(charactersMax), charactersMax);

/**
 * A character has at most four code points before composition (Unicode, Annex 15), and a code point two units
 * of UTF-16.
 */
const UNITS_MAX = 8;

/**
 * Refuses text that is too long before composing it, because composing a long run of marks takes quadratic
 * time.
 */
const asName = (charactersMax: number) =>
  Joi.string().custom((text: string, helpers) => {
    const bare = text.trim();
    const isTooLong = bare.length > UNITS_MAX * charactersMax;
    return isTooLong ? helpers.error('string.max', { limit: charactersMax }) : toName(bare);
  });

/**
 * Limits the characters as JSON Schema (Validation, 6.3.1) and PostgreSQL count them: code points. Joi counts
 * units of UTF-16; an emoji has two or more.
 */
export const atMost = (charactersMax: number, text = Joi.string()) =>
  text
    .custom((value: string, helpers) =>
      isLonger(value, charactersMax) ? helpers.error('string.max', { limit: charactersMax }) : value,
    )
    .meta({ docs: { maxLength: charactersMax } });

/** The lower limit, counted in the same way. */
export const atLeast = (charactersMin: number, text: Joi.StringSchema) =>
  text
    .custom((value: string, helpers) =>
      isLonger(value, charactersMin - 1) ? value : helpers.error('string.min', { limit: charactersMin }),
    )
    .meta({ docs: { minLength: charactersMin } });

/** Counts characters only if the length in units does not decide, so a text of any length costs little. */
const isLonger = (text: string, charactersMax: number): boolean =>
  text.length > charactersMax && (text.length > 2 * charactersMax || [...text].length > charactersMax);

const notBlank = (text: Joi.StringSchema, charactersMax: number) =>
  atMost(charactersMax, text).pattern(/\S/).messages({ 'string.pattern.base': BLANK, 'string.empty': BLANK });

const lineOf = (text: Joi.StringSchema, charactersMax: number) =>
  notBlank(text, charactersMax).custom((text: string, helpers) => {
    if (!isOneLine(text)) return helpers.message({ custom: NOT_ONE_LINE });
    return isVisible(text) ? text : helpers.message({ custom: BLANK });
  });

const BLANK = '{{#label}} must not be blank';
const NOT_ONE_LINE = '{{#label}} must hold no line break or other control character';

export const limit = (fallback: number) =>
  Joi.number().integer().min(1).max(500).default(fallback).description('Items per page');

/** A cursor of `createListCursors`, valid only in its own list; the position in it is validated. */
export const cursor = (position: Joi.StringSchema = uuid()) =>
  position
    .description('nextCursor of the page before, of the same list')
    .messages({ 'string.pattern.base': '{{#label}} must be the nextCursor of an earlier page' })
    .meta({ isOfOneList: true, docs: { pattern: '^[A-Za-z0-9_-]{8}.+$' } });

export const timestamp = () =>
  Joi.string().isoDate().example('2026-03-02T08:15:30.000Z').description('ISO 8601, UTC, milliseconds');

/** A time in a request, parsed to a Date. */
export const time = () =>
  Joi.string()
    .custom((text: string, helpers) => timeOf(text) ?? helpers.message({ custom: TIME_FAULT }))
    .meta({ docs: { format: 'date-time' } })
    .example('2026-03-02T08:15:30Z') as Joi.StringSchema & Joi.DateSchema;

/**
 * The first or last moment of a range of readings. Whole days and months around it are also in years with
 * four digits.
 */
export const rangeTime = () => time().custom(withinRange);

const EARLIEST_MS = Date.parse('0001-02-01T00:00:00.000Z');
const LATEST_MS = Date.parse('9999-11-30T23:59:59.999Z');
const withinRange = (at: Date) => new Date(Math.min(Math.max(at.getTime(), EARLIEST_MS), LATEST_MS));

/** For a query with both ends of a range. An empty range is in order. */
export function inOrder<Range extends { from?: Date; to?: Date }>(range: Range, helpers: Joi.CustomHelpers) {
  const { from, to } = range;
  return from && to && from > to ? helpers.message({ custom: 'from must not be after to' }) : range;
}

const TIME_FAULT = '{{#label}} must be an ISO 8601 time with a zone';

export const nextCursor = () =>
  Joi.string().allow(null).required().description('Pass as cursor for the next page; null on the last one');

/** Parameters of a list by pages. */
export const paging = { limit: limit(50), cursor: cursor() };

export interface PageQuery {
  limit: number;
  cursor?: string;
}

export const listQuery = Joi.object<PageQuery, true>(paging);

/** One page of a list. */
export const pageSchema = (item: Joi.Schema, example: object, description?: string) => {
  const items = Joi.array().items(item).required();
  return Joi.object({
    items: description === undefined ? items : items.description(description),
    nextCursor: nextCursor(),
  }).example({ items: [example], nextCursor: null });
};

export const actorSchema = Joi.object<Actor>({
  keyId: Joi.string()
    .allow(null)
    .required()
    .description('null: a person or program without a key; name says who'),
  name: Joi.string().required(),
});
