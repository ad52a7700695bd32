import type { Knex } from 'knex';

/**
 * An escalation that is disabled and soon enabled again has to end those of its alerts that the sweep has not ended yet. A
 * process of an earlier release stores no time, and its sweep ends nothing then, as before.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    alter table escalation_policies add column disabled_at timestamptz;
    comment on column escalation_policies.disabled_at is
      'When it was last disabled: escalations that began until then have ended. Null: never.'`);

export const down = (sql: Knex) => sql.raw('alter table escalation_policies drop column disabled_at');
