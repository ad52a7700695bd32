import type { Knex } from 'knex';

/** Indexes for states that few deliveries have, so that a list or a replay of them reads no others. */
const INDEXES = {
  deliveries_rare_idx: `(organization_id, endpoint_id, state, id)
    where state in ('held', 'failed', 'blocked', 'cancelled')`,
  deliveries_immediate_idx: `(organization_id, endpoint_id, id) where state = 'retrying' and send_immediately`,
};

/** An index that is built concurrently blocks no writer, but neither on a partitioned table nor in a transaction. */
export const config = { transaction: false };

export async function up(sql: Knex): Promise<void> {
  for (const [name, definition] of Object.entries(INDEXES)) {
    await sql.raw(`create index if not exists ${name} on only deliveries ${definition}`);
    for (const partition of await partitionsWithout(sql, name)) {
      const part = `${partition}_${name.replace('deliveries_', '')}`;
      // One that an interrupted build has left is not valid.
      await sql.raw(`drop index concurrently if exists ${part}`);
      await sql.raw(`create index concurrently ${part} on ${partition} ${definition}`);
      await sql.raw(`alter index ${name} attach partition ${part}`);
    }
  }
}

export async function down(sql: Knex): Promise<void> {
  for (const name of Object.keys(INDEXES)) await sql.raw(`drop index ${name}`);
}

async function partitionsWithout(sql: Knex, index: string): Promise<string[]> {
  const { rows } = await sql.raw<{ rows: Array<{ name: string }> }>(
    `select p.inhrelid::regclass::text as name from pg_inherits p
     where p.inhparent = 'deliveries'::regclass and not exists (
       select from pg_index i join pg_inherits a on a.inhrelid = i.indexrelid
       where i.indrelid = p.inhrelid and a.inhparent = ?::regclass)
     order by 1`,
    [index],
  );
  return rows.map(({ name }) => name);
}
