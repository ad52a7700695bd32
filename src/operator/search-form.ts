/** A form that searches a list: its fields are the parameters of the operation. */
import type { Field } from './form-fields.ts';
import { fieldsHtml } from './form-html.ts';
import { readValues } from './form-values.ts';
import type { Content } from './html.ts';

const OF_PAGES = ['limit', 'cursor'];

const searched = (fields: readonly Field[]) => fields.filter(({ name }) => !OF_PAGES.includes(name));

export const toSearch = (fields: readonly Field[], query: URLSearchParams): Record<string, string> =>
  Object.fromEntries(
    Object.entries(readValues(searched(fields), query)).map(([name, value]) => [name, String(value)]),
  );

export const searchFields = (fields: readonly Field[], query: URLSearchParams): Content =>
  fieldsHtml({ fields: searched(fields), values: readValues(searched(fields), query) }).content;
