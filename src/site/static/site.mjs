/** Search, and buttons that copy code. The pages work without this script. */

const RESULTS_MAX = 12;
const COPIED_MS = 1_500;

const form = document.querySelector('form.search');
if (form) startSearch(form);
for (const block of document.querySelectorAll('pre')) addCopyButton(block);

function startSearch(form) {
  const [input, status, list] = form.children;
  let index;
  const load = () => {
    index ??= loadIndex(form.dataset).catch((error) => {
      // The next attempt loads it again.
      index = undefined;
      throw error;
    });
    return index;
  };
  async function search() {
    const text = input.value.trim();
    let found;
    try {
      found = text === '' ? [] : find(await load(), text);
    } catch {
      status.textContent = 'The search could not be loaded. It is tried again as you type.';
      return;
    }
    // The text has changed while the index was loaded.
    if (text !== input.value.trim()) return;
    list.replaceChildren(...found.map(toItem));
    list.hidden = found.length === 0;
    status.textContent = text === '' ? '' : `${found.length === 0 ? 'No' : found.length} results`;
  }
  form.hidden = false;
  input.addEventListener('focus', () => load().catch(() => {}), { once: true });
  input.addEventListener('input', search);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
    else if (event.key === 'ArrowDown') move(1, event);
    else if (event.key === 'ArrowUp') move(-1, event);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.matches('input, textarea')) return;
    event.preventDefault();
    input.focus();
  });
  document.addEventListener('click', (event) => {
    if (!form.contains(event.target)) list.hidden = true;
  });
  list.addEventListener('click', close);

  function close() {
    input.value = '';
    list.hidden = true;
    status.textContent = '';
  }
  function move(step, event) {
    const links = [...list.querySelectorAll('a')];
    if (list.hidden || links.length === 0) return;
    event.preventDefault();
    const place = links.indexOf(document.activeElement) + step;
    (links[place] ?? (place < 0 ? input : links[0])).focus();
  }
}

async function loadIndex({ index, library }) {
  const [{ default: MiniSearch }, response] = await Promise.all([import(library), fetch(index)]);
  const stored = await response.json();
  return MiniSearch.loadJS(stored.index, stored.options);
}

function find(index, text) {
  const options = {
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    boost: { title: 3, heading: 4 },
  };
  const all = index.search(text, { ...options, combineWith: 'AND' });
  const some = all.length > 0 ? all : index.search(text, options);
  return some.slice(0, RESULTS_MAX);
}

function toItem({ id, title, heading, excerpt }) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = id;
  const name = document.createElement('strong');
  name.textContent = heading ? `${title}: ${heading}` : title;
  const text = document.createElement('span');
  text.textContent = excerpt;
  link.append(name, text);
  item.append(link);
  return item;
}

/** Pages without TLS have no clipboard: there the browser copies the selection. */
async function copy(block) {
  try {
    await navigator.clipboard.writeText(block.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(block);
    return document.execCommand('copy');
  }
}

function addCopyButton(block) {
  const frame = document.createElement('div');
  frame.className = 'code';
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    button.textContent = (await copy(block)) ? 'Copied' : 'Selected';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, COPIED_MS);
  });
  block.replaceWith(frame);
  frame.append(block, button);
}
