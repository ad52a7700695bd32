/** Times as text: ISO 8601 with a zone, in the years 1 to 9999. */
const ISO_WITH_ZONE =
  /^\d{4}-(?:0[1-9]|1[0-2])-\d\dT(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** The zone may shift a time out of the years with four digits. */
const EARLIEST_MS = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');
const DAYS_OF_EVERY_MONTH = 28;

/** Null for a text that is not a valid time. */
export function timeOf(text: string): Date | null {
  if (!ISO_WITH_ZONE.test(text)) return null;
  const day = Number(text.slice(8, 10));
  if (day === 0 || (day > DAYS_OF_EVERY_MONTH && day > daysOfMonth(text))) return null;
  const at = Date.parse(text);
  return at >= EARLIEST_MS && at <= LATEST_MS ? new Date(at) : null;
}

const daysOfMonth = (text: string) =>
  new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();

/** `2026-03-02 08:15 UTC`, from ISO 8601. */
export const toMinute = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;
