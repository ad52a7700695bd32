/** Additions to plain HTML: ages beside times, and parts that are replaced when the page has changed. */

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

function ageOf(ms) {
  const [unit, unitMs] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? ['second', 1000];
  return relative.format(Math.round(ms / unitMs), unit);
}

function showAges() {
  for (const time of document.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    time.title = absolute.format(at);
    time.textContent = ageOf(at.getTime() - Date.now());
  }
}

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
  showAges();
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

showAges();
setInterval(showAges, 15_000);
watch();
