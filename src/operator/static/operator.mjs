/** Additions to plain HTML: times of the reader, and parts that are replaced when the page has changed. */
import { adoptZone, showTimes } from './times.mjs';

/** A part in use is replaced only afterwards. */
const isInUse = (part) =>
  part.contains(document.activeElement) || part.querySelector('details[open], input:checked') !== null;

async function refresh() {
  const answer = await fetch(document.body.dataset.watch, { headers: { Accept: 'text/html' } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const part of document.querySelectorAll('[data-live]')) {
    const other = fresh.querySelector(`[data-live="${CSS.escape(part.dataset.live)}"]`);
    if (other && !isInUse(part)) part.replaceChildren(...other.childNodes);
  }
  showTimes();
}

function watch() {
  const { watch: page, fingerprint } = document.body.dataset;
  if (!page) return;
  const changes = new EventSource(`/operator/changes?${new URLSearchParams({ page, fingerprint })}`);
  changes.addEventListener('changed', () => void refresh());
  addEventListener('pagehide', () => changes.close());
}

/** Escape closes an open question. */
addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  for (const open of document.querySelectorAll('details[open]')) {
    open.open = false;
    open.querySelector('summary').focus();
  }
});

adoptZone();
setInterval(showTimes, 15_000);
watch();
