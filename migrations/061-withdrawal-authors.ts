import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    alter table group_withdrawals add column created_by jsonb;
    comment on column group_withdrawals.created_by is
      'Who changed or deleted the group: key and name, as in audit_entries. Null: a release that kept it in '
      'audit_entries alone.'`);

export const down = (sql: Knex) => sql.raw('alter table group_withdrawals drop column created_by');
