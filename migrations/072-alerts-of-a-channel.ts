import type { Knex } from 'knex';

/** Created while alerts are queued, so outside of a transaction. */
export const config = { transaction: false };

/** Also finds openings that were notified, and have no time: a channel that is deleted or changed reads all of its own. */
export async function up(sql: Knex): Promise<void> {
  // A run that broke off leaves an index that is not valid.
  await sql.raw('drop index concurrently if exists notification_alerts_channel_idx');
  await sql.raw(
    'create index concurrently notification_alerts_channel_idx on notification_alerts (organization_id, channel_id, due_at)',
  );
  await sql.raw('drop index concurrently if exists notification_alerts_due_idx');
}

export async function down(sql: Knex): Promise<void> {
  await sql.raw('drop index concurrently if exists notification_alerts_due_idx');
  await sql.raw(`create index concurrently notification_alerts_due_idx
    on notification_alerts (organization_id, channel_id, due_at) where due_at is not null`);
  await sql.raw('drop index concurrently if exists notification_alerts_channel_idx');
}
