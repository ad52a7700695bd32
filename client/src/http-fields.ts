/**
 * Values of header fields, each by its grammar in RFC 9110. The service parses the same fields with these
 * functions.
 */

/** Only blanks and tabs may surround a value (section 5.6.3). */
const SURROUNDING_SPACE = /^[ \t]+|[ \t]+$/g;
const withoutSpace = (value: string | null | undefined): string =>
  (value ?? '').replace(SURROUNDING_SPACE, '');

const DAY_MS = 24 * 3_600_000;
/** Longer waits are cut to this one. */
export const RETRY_AFTER_MAX_MS = DAY_MS;

/**
 * Retry-After (section 10.2.3) in ms from now: seconds, or a date, which is 0 when it has passed. Null when
 * it is neither; such a field is ignored.
 */
export function parseRetryAfter(value: string | null | undefined, now: Date): number | null {
  const text = withoutSpace(value);
  const waitMs = /^\d+$/.test(text)
    ? Number(text) * 1_000
    : (parseHttpDate(text, now)?.getTime() ?? Number.NaN) - now.getTime();
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), RETRY_AFTER_MAX_MS);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const LONG_DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day';
const MONTH = `(?<month>${MONTHS.join('|')})`;
const TIME = '(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)';
/** Section 5.6.7, in its order: IMF-fixdate, RFC 850, asctime, which is in GMT too. */
const DATES = [
  `${DAY}, (?<day>\\d{2}) ${MONTH} (?<year>\\d{4}) ${TIME} GMT`,
  `${LONG_DAY}, (?<day>\\d{2})-${MONTH}-(?<year>\\d{2}) ${TIME} GMT`,
  `${DAY} ${MONTH} (?<day>\\d{2}| \\d) ${TIME} (?<year>\\d{4})`,
].map((date) => new RegExp(`^${date}$`));

/** Null for text in none of the three forms, or for a day that the month does not have. */
export function parseHttpDate(text: string, now: Date): Date | null {
  for (const date of DATES) {
    const parts = date.exec(text)?.groups;
    if (parts) return toDate(parts, now);
  }
  return null;
}

function toDate({ year = '', month = '', ...rest }: Record<string, string>, now: Date): Date | null {
  const [day, hour, minute, second] = ['day', 'hour', 'minute', 'second'].map((name) =>
    Number(rest[name]),
  ) as [number, number, number, number];
  const at = new Date(0);
  at.setUTCFullYear(
    year.length === 2 ? toFullYear(Number(year), now) : Number(year),
    MONTHS.indexOf(month),
    day,
  );
  const isInMonth = at.getUTCDate() === day;
  at.setUTCHours(hour, minute, second);
  return isInMonth ? at : null;
}

/** Two digits that appear more than 50 years ahead belong to the previous century. */
function toFullYear(lastDigits: number, now: Date): number {
  const thisYear = now.getUTCFullYear();
  const year = thisYear - (thisYear % 100) + lastDigits;
  return year > thisYear + 50 ? year - 100 : year;
}

export interface MediaType {
  /** In lower case, for example `text/csv`. */
  type: string;
  /** By their names in lower case; the values unchanged, without quotes. */
  parameters: Array<[name: string, value: string]>;
}

const TOKEN = "[!#$%&'*+.^_`|~\\w-]+";
const TYPE = new RegExp(`^${TOKEN}/${TOKEN}`);
const PARAMETER = new RegExp(`[ \\t]*;[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)"))?`, 'y');

/** Content-Type (section 8.3.1); null when it is no media type. */
export function parseMediaType(value: string | null | undefined): MediaType | null {
  const text = withoutSpace(value);
  const type = TYPE.exec(text)?.[0];
  if (type === undefined) return null;
  const parameters: MediaType['parameters'] = [];
  for (let at = type.length; at < text.length; at = PARAMETER.lastIndex) {
    PARAMETER.lastIndex = at;
    const found = PARAMETER.exec(text);
    if (found === null) return null;
    const [, name, token, quoted = ''] = found;
    if (name !== undefined) parameters.push([name.toLowerCase(), token ?? quoted.replace(/\\(.)/g, '$1')]);
  }
  return { type: type.toLowerCase(), parameters };
}
