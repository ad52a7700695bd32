/**
 * Look-ups in the runtime's time zone database: whether a name is a zone, and its offset from UTC at a
 * moment.
 */
export const TIME_ZONE_LENGTH_MAX = 64;
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]*$/;

/** Named zones only, in any case: an offset such as +02:00 would promise local time and miss it in summer. */
export function isTimeZone(name: string): boolean {
  if (name.length > TIME_ZONE_LENGTH_MAX || !ZONE_NAME.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Minutes east of UTC. All offsets in use today are whole quarters of an hour. */
export function utcOffsetMinutes(timezone: string, at: Date): number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' });
  const text = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = 0, minutes = 0] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(text) ?? [];
  const east = Number(hours) * 60 + Number(minutes);
  return sign === '-' ? 0 - east : east;
}
