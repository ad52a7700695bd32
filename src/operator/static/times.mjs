/** Shows times as their age; the time itself is on hover. */
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

export function showTimes(within = document) {
  for (const time of within.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    time.title = absolute.format(at);
    time.textContent = ageOf(at.getTime() - Date.now());
  }
}
