/** Values of a form: from its inputs to the body of an operation, and back to the inputs. */

import { cutText } from '../process/cut-text.ts';
import { HOUR_MS } from '../process/durations.ts';
import { timeOf } from '../process/iso-time.ts';
import type { Field, Values } from './form-fields.ts';
import type { FormLayout } from './form-layout.ts';
import { faultInWords, startsWithWord, toJsonPath } from './form-words.ts';
import { toWords } from './parts.ts';

/** The values that are filled in. An input that the operation will refuse, such as a word for a number, is kept as typed. */
export const readValues = (fields: readonly Field[], form: URLSearchParams): Values =>
  readFields(fields, byName(form), '');

/** By name, because each look-up in the form itself reads all of its inputs. */
type Inputs = ReadonlyMap<string, string[]>;

function byName(form: URLSearchParams): Inputs {
  const inputs = new Map<string, string[]>();
  for (const [name, text] of form) {
    const texts = inputs.get(name);
    if (texts) texts.push(text);
    else inputs.set(name, [text]);
  }
  return inputs;
}

function readFields(fields: readonly Field[], form: Inputs, prefix: string): Values {
  const entries = fields.map((field) => [field.name, readValue(field, form, prefix + field.name)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function readValue(field: Field, form: Inputs, path: string): unknown {
  const texts = form.get(path) ?? [];
  const [text = ''] = texts;
  switch (field.kind) {
    case 'boolean':
      return text !== '';
    case 'choices':
      return filled(texts);
    case 'texts':
      // A spreadsheet writes quotes around cells.
      return filled(texts.flatMap((each) => each.split(/[\s,;"]+/)));
    case 'group':
      return readGroup(field, form, path);
    case 'rows':
      return readRows(field, form, path);
    case 'time':
      return readFilled(field, form.get(toTimeInput(path))?.[0] || text);
    default:
      return readFilled(field, text);
  }
}

/** The input of a time that counts in place of the hours beside it. */
export const toTimeInput = (path: string): string => `${path}-at`;

const readFilled = (field: Field, text: string): unknown =>
  text.trim() === '' ? undefined : readText(field, text);

const filled = (texts: string[]): string[] => texts.filter((text) => text !== '');

function readText({ kind, isSecret }: Field, text: string): unknown {
  // Forms send a line break as two characters, which a browser counts as one.
  const typed = isSecret ? text : text.replaceAll('\r\n', '\n').trim();
  if (kind === 'number') return Number.isNaN(Number(typed)) ? typed : Number(typed);
  if (kind === 'time') return MINUTES.test(typed) ? `${typed}:00Z` : typed;
  return typed;
}

/** As `datetime-local` writes times; the page asks for UTC. */
const SECONDS = /(?::\d{2}(?:\.\d+)?)?Z$/;
const MINUTES = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/;

function readGroup({ fields }: Field, form: Inputs, path: string): Values | undefined {
  const values = readFields(fields, form, `${path}.`);
  return fields.some((field) => isFilled(field, values[field.name])) ? values : undefined;
}

function readRows(field: Field, form: Inputs, path: string): Values[] {
  return indexesIn(form, path, Math.min(field.max ?? ROWS_MAX, ROWS_MAX) + 1)
    .sort((a, b) => a - b)
    .filter((index) => !form.has(toRemoval(`${path}.${index}`)))
    .map((index) => readGroup(field, form, `${path}.${index}`))
    .filter((row) => row !== undefined);
}

/** The name of the box that takes a row out. No operation has a field of this name. */
export const toRemoval = (row: string): string => `${row}.remove`;

/** Few enough to look for each of their fields. */
const ROWS_MAX = 100;

/** One row more than the operation takes is enough for its refusal; others are not read. */
function indexesIn(form: Inputs, path: string, most: number): number[] {
  const indexes = new Set<number>();
  for (const key of form.keys()) {
    if (indexes.size === most) break;
    if (!key.startsWith(`${path}.`)) continue;
    const index = Number.parseInt(key.slice(path.length + 1), 10);
    if (Number.isInteger(index)) indexes.add(index);
  }
  return [...indexes];
}

/** A spare row of a form holds empty inputs and boxes as they were. */
function isFilled({ kind, default: fallback = false }: Field, value: unknown): boolean {
  if (kind === 'boolean') return value !== fallback;
  return Array.isArray(value) ? value.length > 0 : value !== undefined;
}

/** A body that creates, and each group within a body: an empty list says nothing, unless it replaces a default. */
export const toCreation = (fields: readonly Field[], values: Values): Values =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const value = values[field.name];
      const isLeftOut = Array.isArray(value) && value.length === 0 && field.default === undefined;
      return value === undefined || isLeftOut ? [] : [[field.name, withoutEmptyLists(field, value)]];
    }),
  );

function withoutEmptyLists({ kind, fields }: Field, value: unknown): unknown {
  if (kind === 'group' && isObject(value)) return toCreation(fields, value);
  return kind === 'rows' ? rowsIn(value).map((row) => toCreation(fields, row)) : value;
}

/** A body that changes: fields that differ from those that the form showed, so that two people change two fields. */
export const toChange = (fields: readonly Field[], values: Values, shown: Values): Values => {
  const before = readValues(fields, toInputs(fields, shown));
  return Object.fromEntries(
    fields
      .filter(({ name }) => !isSame(values[name], before[name]))
      .map((field) => [field.name, withoutEmptyLists(field, values[field.name] ?? emptyOf(field))]),
  );
};

/**
 * A ticked box that is said alone takes away the other fields of its group as the form showed them. One that was typed
 * stays, so that the operation refuses it.
 */
export function withoutUnused(values: Values, shown: Values | null, looks: FormLayout['looks'] = {}): Values {
  const alone = Object.entries(looks).flatMap(([path, { isAlone }]) => {
    const [group = '', box = ''] = path.split('.');
    const [value, before] = [values[group], shown?.[group]];
    if (!isAlone || !isObject(value) || value[box] !== true || !isObject(before)) return [];
    const typed = Object.entries(value).filter(([name, each]) => name === box || !isSame(each, before[name]));
    return [[group, Object.fromEntries(typed)]];
  });
  return { ...values, ...Object.fromEntries(alone) };
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a, inOrder) === JSON.stringify(b, inOrder);
/** The inputs of a list have an order of their own; that of rows counts. */
const inOrder = (_name: string, value: unknown): unknown =>
  Array.isArray(value) && !value.some(isObject) ? value.toSorted() : value;

const emptyOf = ({ isNullable, kind }: Field): unknown => (isNullable || kind === 'group' ? null : '');

/** Inputs that show the values. They may come back from a browser, so a value of another kind is left out. */
export function toInputs(
  fields: readonly Field[],
  values: Values,
  prefix = '',
  inputs = new URLSearchParams(),
): URLSearchParams {
  for (const field of fields) {
    const value = values[field.name];
    const path = prefix + field.name;
    if (field.kind === 'group') {
      if (isObject(value)) toInputs(field.fields, value, `${path}.`, inputs);
    } else if (field.kind === 'rows') {
      for (const [index, row] of rowsIn(value).entries())
        toInputs(field.fields, row, `${path}.${index}.`, inputs);
    } else {
      for (const each of [value].flat()) if (isShown(each)) inputs.append(path, toText(field, each));
    }
  }
  return inputs;
}

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null;
const rowsIn = (value: unknown): Values[] => (Array.isArray(value) ? value.filter(isObject) : []);
const isShown = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || value === true;

const toText = ({ kind }: Field, value: unknown): string =>
  kind === 'time' ? String(value).replace(SECONDS, '') : String(value);

/** Defaults of the schema, for a form that creates. */
export const defaultsOf = (fields: readonly Field[]): Values =>
  Object.fromEntries(
    fields.flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]])),
  );

/** Numbers of hours, where a field asks for them, as times; one that counts from a wrong time stays. */
export function toTimes(values: Values, looks: FormLayout['looks'], now: Date): Values {
  const times = Object.entries(looks ?? {}).flatMap(([name, { hours, since }]) => {
    const chosen = Number(values[name]);
    const start = since === undefined ? undefined : values[since];
    const from = start === undefined ? new Date(now.getTime() - MARGIN_MS) : timeOf(String(start));
    if (from === null || !hours?.includes(chosen)) return [];
    return [[name, new Date(from.getTime() + chosen * HOUR_MS).toISOString()]];
  });
  return { ...values, ...Object.fromEntries(times) };
}

/** By another clock, the longest choice must not be longer than the operation allows. */
const MARGIN_MS = 1_000;

/**
 * Faults in words, at the inputs that they are about, in the order of the form. `labels` has the label of each
 * input by its path.
 */
export function placeFaults(
  faults: readonly string[],
  labels: ReadonlyMap<string, string>,
  inputs: URLSearchParams,
) {
  const paths = [...labels.keys()];
  const found = faults.map((fault) => {
    const path = inputOfFault(fault, paths);
    const typed = path === null ? [] : inputs.getAll(path);
    return { path, words: withTyped(faultInWords(fault, labels), typed) };
  });
  const wordsAt = (path: string | null) => [
    ...new Set(found.filter((each) => each.path === path).map(({ words }) => words)),
  ];
  const faulty = paths.filter((path) => found.some((each) => each.path === path));
  return {
    placed: new Map(faulty.map((path) => [path, wordsAt(path).join('. ')])),
    unplaced: wordsAt(null),
  };
}

/** "Serial numbers[1] must …" as "Serial numbers: “A?” must …", because people cannot find the 37th value of a pasted list. */
const withTyped = (words: string, typed: readonly string[]): string =>
  words.replace(/\[(\d+)\](?= )/, (place, index) => {
    const value = typed[Number(index)];
    return value === undefined ? place : `: “${cutText(value, TYPED_SHOWN_MAX, '…')}”`;
  });

/** Longer than any serial number. */
const TYPED_SHOWN_MAX = 80;

/** The input that a refusal names: `steps.0.afterMinutes` for "steps[0].afterMinutes must be …"; null: none. */
export function inputOfFault(message: string, inputs: readonly string[]): string | null {
  const named = inputs
    .filter((path) => startsWithWord(message, toJsonPath(path)))
    .sort((a, b) => b.length - a.length);
  return named[0] ?? firstMentioned(message, inputs) ?? byWords(message, inputs);
}

/** "… the serial number … already" is about `newSerialNumber`, and "No group has this id" about `groupId`. */
function byWords(message: string, inputs: readonly string[]): string | null {
  const said = new Set(wordsOf(message));
  return (
    inputs.find((path) => wordsOf(toWords(lastPart(path))).filter((word) => said.has(word)).length >= 2) ??
    null
  );
}

/** In the singular. */
const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/\W+/)
    .map((word) => word.replace(/s$/, ''));
const lastPart = (path: string): string => path.split('.').at(-1) ?? path;

function firstMentioned(message: string, inputs: readonly string[]): string | null {
  const words = message.split(/[^\w.[\]]+/);
  const places = inputs
    .map((path) => ({ path, at: words.indexOf(lastPart(path)) }))
    .filter(({ at }) => at >= 0);
  return places.sort((a, b) => a.at - b.at)[0]?.path ?? null;
}
