import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table list_changes (
      organization_id uuid not null,
      list text not null collate "C",
      key text not null collate "C",
      id uuid not null default uuidv7(),
      change bigint not null,
      constraint list_changes_pkey primary key (organization_id, list, key, id)
    );
    comment on table list_changes is
      'Changes of list_totals, written by triggers in the transaction of the change; the worker adds them to the '
      'totals every few seconds.'`);

export const down = (sql: Knex) => sql.raw('drop table list_changes');
