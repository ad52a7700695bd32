/**
 * For tables that are distributed by organization (Citus). A statement that names one organization runs on one node, and
 * only there it may lock rows. Statements name the organization of each row, in an array beside others: here the array
 * becomes a single value, and a statement about several organizations becomes one for each of them.
 *
 * The rows of several statements come organization by organization.
 */
export interface Part {
  text: string;
  bindings: readonly unknown[];
}

/** Bindings that belong together: the first array holds the organizations of the elements of the others. */
interface Arrays {
  first: number;
  count: number;
}

interface Rewritten {
  text: string;
  arrays: Arrays[];
}

export function splitByOrganization(text: string, bindings: readonly unknown[]): Part[] {
  const { text: single, arrays } = rewrite(text);
  const owners = arrays.map(({ first }) => toElements(bindings[first]));
  const organizations = [...new Set(owners.flat())].sort();
  if (organizations.length === 0) return [{ text, bindings }];
  return organizations.map((organization) => ({
    text: single,
    bindings: bindings.map((binding, index) => {
      const at = arrays.findIndex(({ first, count }) => first <= index && index < first + count);
      if (at === -1) return binding;
      if (index === arrays[at]?.first) return organization;
      if (organizations.length === 1) return binding;
      return toElements(binding).filter((_, row) => owners[at]?.[row] === organization);
    }),
  }));
}

const ROWS_OF_ORGANIZATIONS =
  /unnest\(\?::uuid\[\],\s*([^()]*)\)(\s+with ordinality)?\s+as (\w+)\s*\(\s*organization_id,\s*([^)]*)\)/g;

/** By the text as it was written: there are few. */
const rewritten = new Map<string, Rewritten>();

function rewrite(text: string): Rewritten {
  const known = rewritten.get(text);
  if (known) return known;
  const arrays: Arrays[] = [];
  const single = text.replace(ROWS_OF_ORGANIZATIONS, (all, casts, ordinality = '', name, columns, at) => {
    arrays.push({ first: countBindings(text.slice(0, at)), count: countBindings(all) });
    return `(select ?::uuid as organization_id, own.* from unnest(${casts})${ordinality} as own (${columns})) as ${name}`;
  });
  rewritten.set(text, { text: single, arrays });
  return { text: single, arrays };
}

/** Question marks that are operators are written as `\?`. */
const countBindings = (text: string): number => text.match(/(?<!\\)\?/g)?.length ?? 0;

const ELEMENT = /"((?:[^"\\]|\\.)*)"|[^,]+/g;

/** Of an array, or of one that is written as text. */
function toElements(array: unknown): unknown[] {
  if (typeof array !== 'string') return array as unknown[];
  return [...array.slice(1, -1).matchAll(ELEMENT)].map(([element, quoted]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/g, '$1');
    return element === 'null' ? null : element;
  });
}
