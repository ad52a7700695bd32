import type { Knex } from 'knex';

/** Created while messages are sent, so outside of a transaction. */
export const config = { transaction: false };

/** A message that has waited is compared with the later ones of its channel, among those of all channels. */
export async function up(sql: Knex): Promise<void> {
  // A run that broke off leaves an index that is not valid.
  await sql.raw('drop index concurrently if exists notifications_later_idx');
  await sql.raw(
    'create index concurrently notifications_later_idx on notifications (organization_id, channel_id, id)',
  );
  await sql.raw(`comment on index notifications_later_idx is
    'For the later messages of a channel, and for the messages of a deleted one.'`);
  await sql.raw('drop index concurrently if exists notifications_channel_idx');
}

export async function down(sql: Knex): Promise<void> {
  await sql.raw('drop index concurrently if exists notifications_channel_idx');
  await sql.raw(
    'create index concurrently notifications_channel_idx on notifications (organization_id, channel_id)',
  );
  await sql.raw('drop index concurrently if exists notifications_later_idx');
}
