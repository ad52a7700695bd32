/** Groups that are chosen by typing their names, because a list of all is too long to look through. */
import { toName } from '../http/one-line.ts';
import { type AppError, invalid } from '../process/errors.ts';
import type { FieldLook, Option } from './form-layout.ts';
import { readValues } from './form-values.ts';
import { startsWithWord } from './form-words.ts';
import type { ReadTyped } from './page-deps.ts';

/** More options than these are typed; the browser completes them. */
const LOOKED_THROUGH_MAX = 500;

export const areTyped = (options: readonly Option[]): boolean => options.length > LOOKED_THROUGH_MAX;

/** Name of the inputs that names are typed into, beside the path of the field, which takes ids. */
export const toNameInput = (path: string): string => `${path}:name`;

/** Groups with one of the names, compared without case, each under the name as typed. */
type FindByNames = (
  organizationId: string,
  names: string[],
) => Promise<ReadonlyArray<{ name: string; id: string }>>;

export const createReadTyped =
  (findByNames: FindByNames): ReadTyped =>
  async ({ organizationId }, { form, fields, looks = {} }) => {
    const typed = pathsOfGroups(looks).flatMap((path) => {
      const names = namesAt(form, path);
      return names.length === 0 ? [] : [{ path, names }];
    });
    const all = typed.flatMap(({ names }) => names);
    const found = all.length === 0 ? [] : await findByNames(organizationId, all);
    const ids = new Map(found.map(({ name, id }) => [name, id]));
    const values = readValues(fields, form);
    // A name that no group has stays as typed.
    const chosen = typed.map(({ path, names }) => {
      const each = names.map((name) => ids.get(name) ?? name);
      return [path, Array.isArray(values[path]) ? each : each[0]];
    });
    const unknown = typed.find(({ names }) => names.some((name) => !ids.has(name)));
    return {
      values: { ...values, ...Object.fromEntries(chosen) },
      fault: unknown ? invalid(`${unknown.path} must be the name of a group`) : null,
    };
  };

/** The shape of the body refuses a name that no group has, too, and says less. */
export function withTypedFault(fault: AppError | null, faults: readonly string[]): string[] {
  if (fault === null) return [...faults];
  const [path = ''] = fault.message.split(' ');
  return [fault.message, ...faults.filter((each) => !startsWithWord(each, path))];
}

const pathsOfGroups = (looks: Readonly<Record<string, FieldLook>>): string[] =>
  Object.keys(looks).filter((path) => looks[path]?.choices === 'groups');

const namesAt = (form: URLSearchParams, path: string): string[] =>
  form
    .getAll(toNameInput(path))
    .map(toName)
    .filter((name) => name !== '');
