/**
 * The release of the IANA time zone database in this runtime. Governments change their rules at short notice,
 * and a runtime keeps the rules of its build unless its zone data is renewed: docs/operating.md describes
 * how.
 */

/** For example 2025c; later releases sort after earlier ones. Null in a runtime without zone data. */
export const TIME_ZONE_RULES: string | null = process.versions.tz ?? null;

/**
 * The name contains the year of a release and no day, so the age counts from the end of that year: no release
 * is called old too early. Null: not the name of a release.
 */
export function isOlderThanAYear(rules: string, at: Date): boolean | null {
  const [, year] = /^(\d{4})[a-z]+$/.exec(rules) ?? [];
  return year === undefined ? null : at.getUTCFullYear() - Number(year) > 1;
}
