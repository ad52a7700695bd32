/** The input of one field, by its kind and bounds. */
import type { Field } from './form-fields.ts';
import type { FieldLook, Option } from './form-layout.ts';
import { toTimeInput } from './form-values.ts';
import { toHelp } from './form-words.ts';
import { type Content, type Html, html } from './html.ts';
import { toWords } from './parts.ts';
import { areTyped, toNameInput } from './typed-groups.ts';

/** Options by path without indexes, for fields whose options are rows of a list. */
export type Options = Readonly<Record<string, readonly Option[]>>;

export interface Drawn {
  field: Field;
  path: string;
  inputs: URLSearchParams;
  options: Options;
  looks: Readonly<Record<string, FieldLook>>;
  /** Collects the labels of inputs by their path. */
  labels: Map<string, string>;
  /** Messages about typed values, by the path of their input. */
  faults: ReadonlyMap<string, string>;
  /** It may be left out with all others of its group or row. */
  isWithin?: boolean;
}

const plainPath = (path: string) => path.replace(/\.\d+/g, '');
export const lookOf = ({ looks, path }: Drawn): FieldLook => looks[plainPath(path)] ?? {};
export function optionsOf(drawn: Drawn): readonly Option[] | null {
  const { options, path, field } = drawn;
  const { values = field.options } = lookOf(drawn);
  return (
    options[plainPath(path)] ??
    (values.length > 0 ? values.map((value) => ({ value, label: toWords(value) })) : null)
  );
}

/** Null: there is none. */
export function helpOf(drawn: Drawn): string | null {
  const { help = toHelp(drawn.field.help ?? '') } = lookOf(drawn);
  return help;
}

export const isFaulty = ({ faults, path }: Drawn) => faults.has(path);

/** The first input with a fault gets the focus. */
export const focus = ({ faults, path }: Drawn): Content =>
  faults.keys().next().value === path && html` autofocus`;

export function aria(drawn: Drawn): Content {
  const { path } = drawn;
  const ids = [helpOf(drawn) && `${path}-help`, isFaulty(drawn) && `${path}-fault`].filter(Boolean).join(' ');
  return [
    ids !== '' && html` aria-describedby="${ids}"`,
    isFaulty(drawn) && html` aria-invalid="true"${focus(drawn)}`,
  ];
}

export function inputHtml(drawn: Drawn): Html {
  const { field, path, inputs } = drawn;
  const { isLong, hours, orAt, suggestions } = lookOf(drawn);
  const value = inputs.getAll(path).join('\n');
  const attributes = html`id="${path}"${field.isRequired && !drawn.isWithin && !orAt && html` required`}${aria(drawn)}`;
  const common = html`${attributes} name="${path}"`;
  const options = hours ? hours.map(toHours) : optionsOf(drawn);
  if (orAt && options) return orAtHtml(selectHtml(drawn, common, options), orAt, { path, options, value });
  if (options && areTyped(options)) return typedHtml(path, inputs.getAll(path), { options, attributes });
  if (options) return selectHtml(drawn, common, options);
  if (isLong || field.kind === 'texts') {
    return html`<textarea ${common} rows="4"${field.kind === 'text' && lengthOf(field)}>${value}</textarea>`;
  }
  if (field.kind === 'number') {
    return html`<input type="number" ${common} step="${field.isInteger ? '1' : 'any'}"${placeholderOf(field)}${bound('min', field.min)}${bound('max', field.max)} value="${value}">`;
  }
  if (field.kind === 'time') return timeHtml(path, common, value);
  return html`<input ${common}${lengthOf(field)} value="${value}"${placeholderOf(field)}${field.isSecret && html` autocomplete="off"`}${suggestions && html` list="${path}-suggestions"`}>${suggestions && html`<datalist id="${path}-suggestions">${suggestions.map((each) => html`<option value="${each}"></option>`)}</datalist>`}`;
}

const timeHtml = (id: string, attributes: Html, value: string): Html =>
  html`<span class="row"><input type="datetime-local" ${attributes} value="${value}"> <span class="quiet" data-zone-of="${id}">UTC</span></span>`;

function orAtHtml(
  hours: Html,
  label: string,
  { path, options, value }: { path: string; options: readonly Option[]; value: string },
): Html {
  const id = toTimeInput(path);
  const typed = options.some((option) => option.value === value) ? '' : value;
  return html`<div class="row either">${hours} <label for="${id}">${label}</label> ${timeHtml(id, html`id="${id}" name="${id}"`, typed)}</div>`;
}

const placeholderOf = ({ isSecret, example, default: value }: Field): Content => {
  const text = example ?? (value === undefined ? undefined : String(value));
  return text !== undefined && !isSecret && html` placeholder="${text}"`;
};
/** Browsers count an emoji as two characters, the operation as one: it refuses a text that is too long. */
const lengthOf = ({ max }: Field): Content => bound('maxlength', max && 2 * max);
const bound = (name: string, value: number | undefined): Content =>
  value !== undefined && html` ${name}="${value}"`;

interface TypedOptions {
  options: readonly Option[];
  /** Attributes of the first input. */
  attributes: Html;
  /** Number of empty inputs beyond those with a value. */
  spareCount?: number;
}

/** Inputs whose text the browser completes to one of the options. */
export function typedHtml(
  path: string,
  values: readonly string[],
  { options, attributes, spareCount = 0 }: TypedOptions,
): Html {
  const labels = new Map(options.map(({ value, label }) => [value, label]));
  const texts = [...(values.length > 0 ? values : ['']), ...Array<string>(spareCount).fill('')];
  return html`${texts.map(
    (value, index) =>
      html`<input ${index === 0 ? attributes : html`aria-label="${index + 1}"`} name="${toNameInput(path)}" list="${path}-options" value="${labels.get(value) ?? value}" autocomplete="off">`,
  )}<datalist id="${path}-options">${options.map(({ label }) => html`<option value="${label}"></option>`)}</datalist>`;
}

const toHours = (hours: number): Option => {
  const count = Math.abs(hours);
  const short = count < 1 ? `${count * 60} min` : `${count} h`;
  const length = count > 24 ? `${count / 24} days` : short;
  return { value: String(hours), label: hours < 0 ? `${length} ago` : length };
};

function selectHtml(drawn: Drawn, common: Html, options: readonly Option[]): Html {
  const { field, path, inputs } = drawn;
  const { none = field.isRequired ? 'choose' : '–' } = lookOf(drawn);
  const chosen = inputs.get(path) ?? '';
  return html`<select ${common}><option value="">${none}</option>${options.map(
    ({ value, label }) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`,
  )}</select>`;
}
