/**
 * Which release of the IANA time zone database the runtime has. Governments change their rules at short notice, and a runtime
 * keeps those of its build unless its zone data is renewed: docs/operating.md says how.
 */

/** Such as 2025c; later releases sort behind earlier ones. Null where the runtime has no such data. */
export const TIME_ZONE_RULES: string | null = process.versions.tz ?? null;

/**
 * The name has the year of a release and no day: it counts from the end of its year, so none is called old too early.
 * Null: not the name of a release.
 */
export function isOlderThanAYear(rules: string, at: Date): boolean | null {
  const [, year] = /^(\d{4})[a-z]+$/.exec(rules) ?? [];
  return year === undefined ? null : at.getUTCFullYear() - Number(year) > 1;
}
