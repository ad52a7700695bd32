/** Times in the zone of the reader, and fields in which a time is typed. The server writes and reads UTC. */

const UNITS = [
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const DAY_MS = 86_400_000;
const NO_BREAK = '\u00a0';
const DATE = { day: 'numeric', month: 'short', year: 'numeric' };
const MINUTES = { hour: '2-digit', minute: '2-digit' };
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const clock = new Intl.DateTimeFormat('en-GB', { ...DATE, ...MINUTES });
const exact = new Intl.DateTimeFormat('en-GB', {
  ...DATE,
  ...MINUTES,
  second: '2-digit',
  timeZoneName: 'short',
});

/** The IANA name of the zone. */
const zone = clock.resolvedOptions().timeZone ?? 'UTC';

/** Clocks are set back by an hour, on Lord Howe Island by half an hour. */
const SET_BACK_MS = [3_600_000, 1_800_000, -1_800_000, -3_600_000];

/** With the offset where the clock shows this time twice. */
export function toClock(at) {
  const text = clock.format(at);
  const isTwice = SET_BACK_MS.some((ms) => clock.format(at.getTime() + ms) === text);
  return isTwice ? `${text} ${offsetOf(at)}` : text;
}

/** Without the date when it is the one before. */
export function toClockAfter(before, at) {
  const [date, time] = toClock(at).split(', ');
  return toClock(before).startsWith(date) ? time : `${date}, ${time}`;
}

/** Such as `UTC+1`, at that time. */
export function offsetOf(at) {
  const minutes = -at.getTimezoneOffset();
  if (minutes === 0) return 'UTC';
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? '−' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
}

export const zoneText = (at = new Date()) =>
  zone === offsetOf(at) ? zone : `${zone.replaceAll('_', ' ')} (${offsetOf(at)})`;

function ageOf(ms) {
  const [unit, unitMs] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? ['second', 1000];
  return relative.format(Math.round(ms / unitMs), unit);
}

/**
 * The age within a day, and the clock beyond it. `kind` is empty for the clock alone, and `age` for both, without the
 * date of today. Then a line breaks between the two alone.
 */
export function timeText(at, ms, kind) {
  if (Math.abs(ms) >= DAY_MS || kind === '') return toClock(at);
  if (kind !== 'age') return ageOf(ms);
  return `${toClockAfter(new Date(at - ms), at)}, ${ageOf(ms).replaceAll(' ', NO_BREAK)}`;
}

/** The exact time is shown on hover. */
export function showTimes(within = document) {
  for (const time of within.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    const ms = at.getTime() - Date.now();
    time.title = exact.format(at);
    time.textContent = timeText(at, ms, time.dataset.clock);
  }
}

/** As fields write times: `YYYY-MM-DDTHH:MM`. */
export function toFieldValue(at) {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** A text without a zone is UTC. */
export const toTime = (text) => new Date(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);

/** The clock may show a time twice, so a time that was set stays while its text is the same. */
const timeIn = ({ value, givenTime }) =>
  givenTime && toFieldValue(givenTime) === value ? givenTime : new Date(value);

export const toUtcValue = (field) => timeIn(field).toISOString().slice(0, 16);

/** Says the zone beside a field, by the time that is in it: clocks change in spring and autumn. */
function sayZone(field) {
  const label = document.querySelector(`[data-zone-of="${CSS.escape(field.id)}"]`);
  if (!label) return;
  label.textContent = offsetOf(field.value === '' ? new Date() : timeIn(field));
  label.title = zone;
}

export function setField(field, at) {
  field.value = at === null ? '' : toFieldValue(at);
  field.givenTime = at;
  sayZone(field);
}

/** Shows the times of fields in the zone of the reader, and sends them in UTC. */
function adoptFields() {
  for (const field of document.querySelectorAll('input[type="datetime-local"]')) {
    // A value that the browser has kept is the reader's own already.
    if (field.value !== '' && field.value === field.defaultValue) setField(field, toTime(field.value));
    else sayZone(field);
    field.addEventListener('input', () => sayZone(field));
    field.form?.addEventListener('formdata', ({ formData }) => {
      if (field.value !== '') formData.set(field.name, toUtcValue(field));
    });
  }
}

/** Files with times in them are made in the zone of the reader. */
function adoptLinks() {
  for (const link of document.querySelectorAll('a[data-zoned]')) {
    const url = new URL(link.href);
    url.searchParams.set('timezone', zone);
    link.href = url;
  }
}

export function adoptZone() {
  for (const place of document.querySelectorAll('[data-zone]')) place.textContent = zoneText();
  adoptFields();
  adoptLinks();
  showTimes();
}
