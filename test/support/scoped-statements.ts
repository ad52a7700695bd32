/**
 * Checks statements of the query builder as they are sent: each names the organization for every tenant table
 * in it, unless it is marked as one about all. test/house/statements.test.ts plans text statements instead. The builder
 * quotes names, texts do not.
 */
import { readFileSync } from 'node:fs';
import type { Knex } from 'knex';

const SCHEMA = readFileSync(new URL('../../docs/schema.sql', import.meta.url), 'utf8');
/** A key is looked up before its organization is known. */
const REFERENCE_TABLES = ['api_keys'];
const TENANT_TABLES = [...SCHEMA.matchAll(/^CREATE TABLE (\w+) \(\n {2}organization_id /gm)]
  .map(([, name = '']) => name)
  .filter((name) => !REFERENCE_TABLES.includes(name));

const TABLES = new RegExp(`\\b(?:from|join|update|into) "(?:${TENANT_TABLES.join('|')})"`, 'g');
const COLUMN_OF_INSERT = /^insert into "\w+" \([^)]*"organization_id"/;
/** The mark that `acrossOrganizations` puts there. */
const ACROSS_ORGANIZATIONS = '/* across organizations */ ';
const COMPARISON = /"organization_id" (?:=|in) /g;

/** Returns an array that fills while statements run. */
export function collectUnscoped(...databases: Knex[]): Set<string> {
  const unscoped = new Set<string>();
  for (const database of databases) {
    database.on('query', ({ sql }: { sql: string }) => {
      if (!isScoped(sql)) unscoped.add(sql);
    });
  }
  return unscoped;
}

export function isScoped(text: string): boolean {
  if (COLUMN_OF_INSERT.test(text) || text.startsWith(ACROSS_ORGANIZATIONS)) return true;
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return count(COMPARISON) >= count(TABLES);
}
