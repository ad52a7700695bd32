import type { Knex } from 'knex';

export interface Index {
  name: string;
  /** What follows `on`: the table, columns and condition. */
  on: string;
  isUnique?: boolean;
}

/**
 * Builds the index without locking out writers, in a migration that runs outside a transaction. It can be run again after
 * it was interrupted, which leaves an invalid index behind, and changes nothing when the index is there.
 */
export async function buildIndex(sql: Knex, { name, on, isUnique = false }: Index): Promise<void> {
  const state = await stateOf(sql, name);
  if (state === 'valid') return;
  if (state === 'invalid') await sql.raw(`drop index concurrently if exists ${name}`);
  await sql.raw(`create ${isUnique ? 'unique ' : ''}index concurrently ${name} on ${on}`);
}

async function stateOf(sql: Knex, name: string): Promise<'missing' | 'invalid' | 'valid'> {
  const { rows } = await sql.raw<{ rows: Array<{ isValid: boolean }> }>(
    'select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(?)',
    [name],
  );
  if (rows[0] === undefined) return 'missing';
  return rows[0].isValid ? 'valid' : 'invalid';
}
