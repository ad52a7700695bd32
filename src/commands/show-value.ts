/** Answers of the service for people: a table of lists, and lines for one object. */
import type { Table } from './command.ts';

type Fields = Record<string, unknown>;

export const toTable = (items: readonly unknown[], columns: readonly string[]): Table => ({
  headings: columns.map(toHeading),
  rows: items.map((item) => columns.map((path) => toCell(valueAt(item, path)))),
  items,
});

const toHeading = (path: string): string =>
  (path.split('.').at(-1) as string).replace(/[A-Z]/g, (letter) => ` ${letter}`).toUpperCase();

export const valueAt = (item: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Fields | null | undefined)?.[name], item);

function toCell(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(toInline).join(', ') || null;
  return toInline(value);
}

/** Kinds of objects that every answer of an operation repeats. */
const OMITTED = 'recType';

/** A line for each field. Objects are indented, and lists of objects have a line for each item. */
export function toLines(value: unknown, indent = ''): string[] {
  if (!isObject(value)) return [`${indent}${toInline(value)}`];
  return Object.entries(value).flatMap(([name, each]) => {
    if (name === OMITTED) return [];
    if (isObject(each)) return [`${indent}${name}:`, ...toLines(each, `${indent}  `)];
    if (!Array.isArray(each) || !each.some(isObject)) return [`${indent}${name}: ${toCell(each) ?? '–'}`];
    return [`${indent}${name}:`, ...each.map((item) => `${indent}- ${toInline(item)}`)];
  });
}

function toInline(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return `[${value.map(toInline).join(', ')}]`;
  if (!isObject(value)) return String(value);
  const entries = Object.entries(value).filter(([name, each]) => name !== OMITTED && !isEmpty(each));
  return entries
    .map(([name, each]) => `${name} ${isObject(each) ? `(${toInline(each)})` : toInline(each)}`)
    .join(', ');
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);
