/** The shown span in the address of the page, and the links and fields that follow it. */
import { setField, toTime } from './times.mjs';

const SPAN = ['span', 'from', 'to'];

/** Browsers keep 50 entries, and drop the first ones of a longer history, which is then out of reach. */
const DEPTH_MAX = 40;

/** The shown span, and its place in the address: each zoom is an entry of the history, so back is the browser's own. */
export function createAddress({ onChange }) {
  const depth = () => history.state?.depth ?? 0;
  const query = () => {
    const given = [...new URL(location.href).searchParams].filter(
      ([name, value]) => SPAN.includes(name) && value !== '',
    );
    return new URLSearchParams(given);
  };
  addEventListener('popstate', onChange);
  return {
    query,
    /** Null while the span has a name, because the server knows how long it is. */
    span() {
      const [from, to] = ['from', 'to'].map((name) => toTime(query().get(name) ?? '').getTime() / 1000);
      return from < to ? { from, to } : null;
    },
    /** Moving replaces the entry of the last zoom; a zoom that changes nothing adds none. */
    go({ from, to }, { isMove }) {
      const url = withSpan(location.href, new URLSearchParams({ from: toIso(from), to: toIso(to) }));
      if (url.href === location.href) return;
      if ((isMove && depth() > 0) || depth() === DEPTH_MAX) history.replaceState({ depth: depth() }, '', url);
      else history.pushState({ depth: depth() + 1 }, '', url);
      onChange();
    },
    back(steps) {
      if (depth() > 0) history.go(-Math.min(steps, depth()));
    },
    hasBack: () => depth() > 0,
  };
}

const toIso = (seconds) => new Date(Math.round(seconds) * 1_000).toISOString();

function withSpan(address, query) {
  const url = new URL(address);
  for (const name of [...SPAN, 'find']) url.searchParams.delete(name);
  for (const [name, value] of query) url.searchParams.set(name, value);
  return url;
}

/** Lets links and fields follow the picture. */
export function followAddress(query) {
  for (const link of document.querySelectorAll('#curve a[data-spanned]'))
    link.href = withSpan(link.href, query);
  for (const tab of document.querySelectorAll('#curve .tabs a')) {
    const isCurrent = new URL(tab.href).searchParams.get('span') === (query.get('span') || 'day');
    if (isCurrent && !query.has('from')) tab.setAttribute('aria-current', 'page');
    else tab.removeAttribute('aria-current');
  }
  for (const name of ['from', 'to']) {
    const field = document.querySelector(`#curve-${name}`);
    setField(field, query.has(name) ? toTime(query.get(name)) : null);
  }
}
