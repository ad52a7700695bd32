/**
 * Rewrites statements for tables that are distributed by organization (Citus). A statement that names one
 * organization runs on one node, and only there it may lock rows. Statements name the organization of each
 * row, in an array beside others: here the array becomes a single value, and a statement about several
 * organizations becomes one for each of them. Joined tables are compared with that value, too.
 *
 * Such a statement is planned for the value. For an organization newer than its statistics PostgreSQL expects
 * a single row, and would read all of its rows to find a few: so a table that is joined by an id is compared
 * with all ids.
 *
 * The rows of several statements come organization by organization.
 */
export interface Part {
  text: string;
  bindings: readonly unknown[];
}

/** Bindings that belong together: the first array holds the organizations of the elements in the others. */
interface Arrays {
  first: number;
  count: number;
}

interface Rewritten {
  text: string;
  slots: Slot[];
  arrays: Arrays[];
  /** Bindings that a table's organization is compared with. */
  named: number[];
}

/** The value of a `?`: a binding by its index, the distinct elements of one, or the organization. */
type Slot = number | { elementsOf: number } | typeof OWN;

export function splitByOrganization(text: string, bindings: readonly unknown[]): Part[] {
  const { text: single, slots, arrays, named } = rewrite(text);
  const owners = arrays.map(({ first }) => toElements(bindings[first]));
  const organizations = arrays.length > 0 ? owners.flat() : named.map((index) => bindings[index]);
  const distinct = [...new Set(organizations)].sort();
  if (distinct.length === 0 || (arrays.length === 0 && distinct.length > 1)) return [{ text, bindings }];
  function bindingOf(index: number, organization: unknown): unknown {
    const at = arrays.findIndex(({ first, count }) => first < index && index < first + count);
    if (at === -1 || distinct.length === 1) return bindings[index];
    return toElements(bindings[index]).filter((_, row) => owners[at]?.[row] === organization);
  }
  function bind(slot: Slot, organization: unknown): unknown {
    if (slot === OWN) return organization;
    if (typeof slot === 'number') return bindingOf(slot, organization);
    return [...new Set(toElements(bindingOf(slot.elementsOf, organization)))];
  }
  return distinct.map((organization) => ({
    text: single,
    bindings: slots.map((slot) => bind(slot, organization)),
  }));
}

const ROWS = /unnest\(([^()]*)\)(?:\s+with ordinality)?\s+as (\w+)\s*\(([^)]*)\)/g;
const ROWS_OF_ORGANIZATIONS =
  /unnest\(\?::uuid\[\],\s*([^()]*)\)(\s+with ordinality)?\s+as (\w+)\s*\(\s*organization_id,\s*([^)]*)\)/g;
const EQUAL = /\b\w+\.\w+ = (\w+\.\w+)\b/g;
const JOINED = /((?:\w+\.)?organization_id) = \w+\.organization_id\b/g;
const ANY_OF_ORGANIZATIONS = /organization_id = any\(\?::uuid\[\]\)/g;
const NAMED = /organization_id = \?|\?::uuid as organization_id/g;

/** Stands for the organization in place of a binding, or beside the bindings. */
const OWN_ROWS = '\u0001';
const OWN = '\u0002';
/** The elements of the binding whose index follows. */
const ELEMENTS_OF = '\u0003';
const SLOT = new RegExp(`(?<!\\\\)\\?|${OWN_ROWS}|${OWN}|${ELEMENTS_OF}(\\d+)`, 'g');

/** Rewritten statements by their original text; there are few. */
const rewritten = new Map<string, Rewritten>();

function rewrite(text: string): Rewritten {
  const known = rewritten.get(text);
  if (known) return known;
  const arrays: Arrays[] = [];
  const compared = compareWithAllIds(text);
  const rows = compared.replace(ROWS_OF_ORGANIZATIONS, (all, casts, ordinality = '', name, columns, at) => {
    arrays.push({ first: countBindings(compared.slice(0, at)), count: countBindings(all) });
    return `(select ${OWN_ROWS}::uuid as organization_id, own.* from unnest(${casts})${ordinality} as own (${columns})) as ${name}`;
  });
  const isOfRows = arrays.length > 0;
  const marked = (isOfRows ? rows.replace(ANY_OF_ORGANIZATIONS, `organization_id = ${OWN_ROWS}`) : rows)
    // A table that is joined behind a limit or a lock is searched on every node unless its organization is
    // named.
    .replace(JOINED, `$& and $1 = ${OWN}`);
  const named = [...text.matchAll(NAMED)].map(({ index }) => countBindings(text.slice(0, index)));
  const result = { ...numberSlots(marked), arrays, named };
  rewritten.set(text, result);
  return result;
}

/** Adds this for ids only, because other columns may be compared in another way. */
function compareWithAllIds(text: string): string {
  const known = [...text.matchAll(ROWS)].flatMap(
    ({ index: at, 1: arrays = '', 2: rows, 3: columns = '' }) => {
      const first = countBindings(text.slice(0, at));
      const names = columns.split(',');
      return arrays.split(',').flatMap((array, position) => {
        if (array.trim() !== '?::uuid[]' || names[position]?.trim() === 'organization_id') return [];
        return [{ name: `${rows}.${names[position]?.trim()}`, at, index: first + position }];
      });
    },
  );
  return text.replace(EQUAL, (equal, name, at) => {
    // Parts of a statement may use the same name for their rows.
    const ids = known.findLast((each) => each.name === name && each.at < at);
    if (!ids) return equal;
    return `(${equal} and ${equal.split(' ')[0]} = any(${ELEMENTS_OF}${ids.index}::uuid[]))`;
  });
}

function numberSlots(marked: string): Pick<Rewritten, 'text' | 'slots'> {
  const slots: Rewritten['slots'] = [];
  let count = 0;
  const text = marked.replace(SLOT, (mark, elementsOf?: string) => {
    if (elementsOf) {
      slots.push({ elementsOf: Number(elementsOf) });
      return '?';
    }
    slots.push(mark === '?' ? count : OWN);
    if (mark !== OWN) count++;
    return '?';
  });
  return { text, slots };
}

/** Question marks that are operators are written as `\?`. */
const countBindings = (text: string): number => text.match(/(?<!\\)\?/g)?.length ?? 0;

const ELEMENT = /"((?:[^"\\]|\\.)*)"|[^,]+/g;

/** Elements of an array, or of an array in text form. */
function toElements(array: unknown): unknown[] {
  if (typeof array !== 'string') return array as unknown[];
  return [...array.slice(1, -1).matchAll(ELEMENT)].map(([element, quoted]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/g, '$1');
    return element === 'null' ? null : element;
  });
}
