/** The input of one field, by its kind and bounds. */
import type { Field } from './form-fields.ts';
import type { FieldLook, Option } from './form-layout.ts';
import { type Content, type Html, html } from './html.ts';
import { toWords } from './parts.ts';

/** Options by path without indexes, for fields whose options are rows of a list. */
export type Options = Readonly<Record<string, readonly Option[]>>;

export interface Drawn {
  field: Field;
  path: string;
  inputs: URLSearchParams;
  options: Options;
  looks: Readonly<Record<string, FieldLook>>;
  /** Collects the paths of inputs. */
  paths: string[];
  faulty: string | null;
  fault: string | null;
  /** It may be left out with all others of its group or row. */
  isWithin?: boolean;
}

export const FAULT_ID = 'fault';

const plainPath = (path: string) => path.replace(/\.\d+/g, '');
export const lookOf = ({ looks, path }: Drawn): FieldLook => looks[plainPath(path)] ?? {};
export const optionsOf = ({ options, path, field }: Drawn): readonly Option[] | null =>
  options[plainPath(path)] ??
  (field.options.length > 0 ? field.options.map((value) => ({ value, label: toWords(value) })) : null);

export const isFaulty = ({ faulty, path }: Drawn) => faulty === path;

export function aria(drawn: Drawn): Content {
  const ids = [drawn.field.help && `${drawn.path}-help`, isFaulty(drawn) && FAULT_ID]
    .filter(Boolean)
    .join(' ');
  return [
    ids !== '' && html` aria-describedby="${ids}"`,
    isFaulty(drawn) && html` aria-invalid="true" autofocus`,
  ];
}

export function inputHtml(drawn: Drawn): Html {
  const { field, path, inputs } = drawn;
  const { isLong, hours } = lookOf(drawn);
  const value = inputs.getAll(path).join('\n');
  const common = html`id="${path}" name="${path}"${field.isRequired && !drawn.isWithin && html` required`}${aria(drawn)}`;
  const options = hours ? hours.map(toHours) : optionsOf(drawn);
  if (options) return selectHtml(drawn, common, options);
  if (isLong || field.kind === 'texts') {
    return html`<textarea ${common} rows="4"${field.kind === 'text' && lengthOf(field)}>${value}</textarea>`;
  }
  if (field.kind === 'number') {
    return html`<input type="number" ${common} step="${field.isInteger ? '1' : 'any'}"${placeholderOf(field)}${bound('min', field.min)}${bound('max', field.max)} value="${value}">`;
  }
  if (field.kind === 'time')
    return html`<input type="datetime-local" ${common} value="${value}"> <span class="quiet" data-zone-of="${path}">UTC</span>`;
  return html`<input ${common}${lengthOf(field)} value="${value}"${placeholderOf(field)}${field.isSecret && html` autocomplete="off"`}>`;
}

const placeholderOf = ({ isSecret, example, default: value }: Field): Content => {
  const text = example ?? (value === undefined ? undefined : String(value));
  return text !== undefined && !isSecret && html` placeholder="${text}"`;
};
const lengthOf = ({ max }: Field): Content => bound('maxlength', max);
const bound = (name: string, value: number | undefined): Content =>
  value !== undefined && html` ${name}="${value}"`;

const toHours = (hours: number): Option => {
  const count = Math.abs(hours);
  const length = count > 24 ? `${count / 24} days` : `${count} h`;
  return { value: String(hours), label: hours < 0 ? `${length} ago` : length };
};

function selectHtml({ field, path, inputs }: Drawn, common: Html, options: readonly Option[]): Html {
  const chosen = inputs.get(path) ?? '';
  return html`<select ${common}><option value="">${field.isRequired ? 'choose' : '–'}</option>${options.map(
    ({ value, label }) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`,
  )}</select>`;
}
