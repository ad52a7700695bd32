import type { Knex } from 'knex';

/**
 * Triggers of the counted tables insert rows into list_changes and update no totals: two transactions that change
 * the same total never wait for each other.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create table list_totals (
      organization_id uuid not null,
      list text not null collate "C",
      key text not null collate "C",
      total bigint not null,
      constraint list_totals_pkey primary key (organization_id, list, key)
    ) with (fillfactor = 50);
    comment on table list_totals is
      'How many rows lists have, kept because counting takes longer the more there are. A total is this row and the '
      'changes that are not added to it yet (list_changes).';
    comment on column list_totals.list is
      'assets: the active ones; alerts; targets:<job id>, while the job runs; devices: active ones by state.';
    comment on column list_totals.key is
      'assets: empty for all, model:<model> for those of a model. alerts: the status, and type:<type>:<status>. '
      'targets: the state. devices: status:, battery: or sync: and the value, profile:none for those without one.'`);

export const down = (sql: Knex) => sql.raw('drop table list_totals');
