/**
 * Changes a part of the page into its fresh version, in place: elements that stay keep their focus, typed
 * text, ticks, open details and scroll position.
 */

/** An element is known among its siblings by its name, where it leads, its field, or its question. */
function keyOf(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return null;
  const { localName: tag } = node;
  // The label of a box has the name of its device, which may change.
  const names = ['id', 'data-live', ...(tag === 'input' ? [] : ['aria-label'])];
  const named = names.map((name) => node.getAttribute(name)).find(Boolean);
  const key = named ?? KEYS[tag]?.(node);
  return key ? `${tag} ${key}` : null;
}

const KEYS = {
  a: (link) => link.getAttribute('href'),
  form: (form) => form.getAttribute('action'),
  input: ({ name, type, defaultValue }) => (type === 'checkbox' ? `${name} ${defaultValue}` : name),
  select: ({ name }) => name,
  textarea: ({ name }) => name,
  details: (details) => details.querySelector('summary')?.textContent,
  // A row without an id is known by its first link, and else by its place.
  tr: (row) => row.querySelector('a[href]')?.getAttribute('href'),
};

/** What a person has changed is no attribute of the fresh page. */
const OF_THE_PERSON = { details: ['open'], option: ['selected'] };

function morphAttributes(element, fresh) {
  const kept = OF_THE_PERSON[element.localName] ?? [];
  for (const { name } of [...element.attributes])
    if (!fresh.hasAttribute(name) && !kept.includes(name)) element.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (element.getAttribute(name) !== value && !kept.includes(name)) element.setAttribute(name, value);
}

function morphNode(node, fresh) {
  if (node.nodeType !== Node.ELEMENT_NODE) {
    if (node.data !== fresh.data) node.data = fresh.data;
    return;
  }
  const { localName: tag, value: chosen } = node;
  morphAttributes(node, fresh);
  // A script has drawn what is in it.
  if (!node.matches('[data-curve]')) morphChildren(node, fresh);
  // Its option may stand at another place now.
  if (tag === 'select') node.value = chosen;
}

/** Nodes with a key, in their order, by key. */
function byKey(nodes) {
  const found = new Map();
  for (const node of nodes) {
    const key = keyOf(node);
    if (key !== null) found.set(key, [...(found.get(key) ?? []), node]);
  }
  return found;
}

function morphChildren(parent, fresh) {
  const wanted = [...fresh.childNodes];
  const keyed = byKey(parent.childNodes);
  const kept = new Set();
  const [unkeyed, awaited] = [[...parent.childNodes], wanted].map((nodes) =>
    nodes.filter((node) => keyOf(node) === null),
  );
  const pairs = wanted.map((node) => {
    const key = keyOf(node);
    const old = key === null ? takeSameKind(unkeyed, awaited) : keyed.get(key)?.shift();
    if (old) kept.add(old);
    return { node, old };
  });
  for (const node of [...parent.childNodes]) if (!kept.has(node)) node.remove();
  let next = parent.firstChild;
  for (const { node, old } of pairs) {
    if (old && old === next) next = next.nextSibling;
    // Moving an element takes its focus away, so it moves only if the order has changed.
    else parent.insertBefore(old ?? node, next);
    if (old) morphNode(old, node);
  }
}

/**
 * The first of the nodes that can become the next awaited one; those before it have gone. Where a later one
 * needs an element before it, the awaited one is new, unless it alone holds what a person types.
 */
function takeSameKind(nodes, awaited) {
  const index = nodes.findIndex(isLike(awaited.shift()));
  if (index === -1) return undefined;
  const later = nodes.slice(index + 1);
  const isNeeded = (node) =>
    node.nodeType === Node.ELEMENT_NODE &&
    awaited.filter(isLike(node)).length > later.filter(isLike(node)).length;
  const isFirst = (node) => isNeeded(node) && (holdsFields(node) || !holdsFields(nodes[index]));
  if (nodes.slice(0, index).some(isFirst)) return undefined;
  return nodes.splice(0, index + 1).at(-1);
}

const holdsFields = (node) => Boolean(node.querySelector?.('input, select, textarea, details'));

const isLike =
  ({ nodeType, nodeName }) =>
  (node) =>
    node.nodeType === nodeType && node.nodeName === nodeName;

/** The focus and the selection, to be given back to an element that was moved. */
function holdFocus() {
  const { activeElement: focused } = document;
  const { selectionStart, selectionEnd } = focused ?? {};
  return () => {
    if (!focused?.isConnected || document.activeElement === focused) return;
    focused.focus({ preventScroll: true });
    if (typeof selectionStart === 'number') focused.setSelectionRange(selectionStart, selectionEnd);
  };
}

export function morph(part, fresh) {
  const giveFocusBack = holdFocus();
  morphChildren(part, fresh);
  giveFocusBack();
}
