/** Groups that are chosen by typing their names, because a list of all is too long to look through. */
import { toName } from '../http/one-line.ts';
import { type AppError, invalid } from '../process/errors.ts';
import type { Values } from './form-fields.ts';
import type { FieldLook, Option } from './form-layout.ts';
import { readValues } from './form-values.ts';
import { startsWithWord } from './form-words.ts';
import type { ReadTyped } from './page-deps.ts';

/** More options than these are typed; the browser completes them. */
const LOOKED_THROUGH_MAX = 500;

export const areTyped = (options: readonly Option[]): boolean => options.length > LOOKED_THROUGH_MAX;

/** Name of the inputs that names are typed into, beside the path of the field, which takes ids. */
export const toNameInput = (path: string): string => `${path}:name`;

type Looks = Readonly<Record<string, FieldLook>>;

/** Groups with one of the names, compared without case, each under the name as typed. */
type FindByNames = (
  organizationId: string,
  names: string[],
) => Promise<ReadonlyArray<{ name: string; id: string }>>;

export const createReadTyped =
  (findByNames: FindByNames): ReadTyped =>
  async ({ organizationId }, { form, fields, looks = {} }) => {
    const names = pathsOfGroups(looks).flatMap((path) => namesAt(form, path));
    const found = names.length === 0 ? [] : await findByNames(organizationId, names);
    const ids = new Map(found.map(({ name, id }) => [name, id]));
    const { values, unknown } = withTypedGroups(readValues(fields, form), form, { looks, ids });
    return { values, fault: unknown === null ? null : invalid(`${unknown} must be the name of a group`) };
  };

/** The shape of the body refuses a name that no group has, too, and says less. */
export function withTypedFault(fault: AppError | null, faults: readonly string[]): string[] {
  if (fault === null) return [...faults];
  const [path = ''] = fault.message.split(' ');
  return [fault.message, ...faults.filter((each) => !startsWithWord(each, path))];
}

interface Typed {
  values: Values;
  /** The field with a name that no group has; its text stays as typed. */
  unknown: string | null;
}

/** `ids` by the name as typed. */
function withTypedGroups(
  values: Values,
  form: URLSearchParams,
  { looks, ids }: { looks: Looks; ids: ReadonlyMap<string, string> },
): Typed {
  let unknown: string | null = null;
  const typed = pathsOfGroups(looks).flatMap((path) => {
    const names = namesAt(form, path);
    if (names.length === 0) return [];
    if (names.some((name) => !ids.has(name))) unknown ??= path;
    const chosen = names.map((name) => ids.get(name) ?? name);
    return [[path, Array.isArray(values[path]) ? chosen : chosen[0]]];
  });
  return { values: { ...values, ...Object.fromEntries(typed) }, unknown };
}

const pathsOfGroups = (looks: Looks): string[] =>
  Object.keys(looks).filter((path) => looks[path]?.choices === 'groups');

const namesAt = (form: URLSearchParams, path: string): string[] =>
  form
    .getAll(toNameInput(path))
    .map(toName)
    .filter((name) => name !== '');
