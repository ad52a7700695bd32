/**
 * Comparisons of a partition key that PostgreSQL does not use to choose partitions while a statement runs.
 *
 * A statement that changes or locks rows checks a row again that another transaction has changed meanwhile.
 * PostgreSQL 18.0 to 18.4 at least then forget how to choose partitions by values of other rows: they write into
 * freed memory, and often end with all their connections. Repaired in October 2026 (commit 1b5dd3a of
 * PostgreSQL, for 18 and later). Values of the statement itself do no harm, and still leave partitions out.
 */

/** To be compared with an id by `=`, `>=` or `<`: finds rows by the same index as the value itself. */
export const unpruned = (id: string): string => `any (array_append('{}'::uuid[], ${id}))`;
