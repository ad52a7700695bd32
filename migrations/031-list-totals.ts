import type { Knex } from 'knex';

/** The triggers are committed before anything is counted: from then on every change is recorded. */
export const config = { transaction: false };

/**
 * Triggers instead of statements of the service, so that processes of the version before keep the totals, too. They
 * insert rows and update none: two transactions that change the same total never wait for each other.
 */
export async function up(sql: Knex): Promise<void> {
  await sql.transaction(async (trx) => {
    await trx.raw(`set local lock_timeout = '5s'`);
    await trx.raw(TABLES);
    for (const [table, { statement, events }] of Object.entries(RECORDED)) {
      await trx.raw(functionOf(table, statement));
      for (const event of events) await trx.raw(triggerOf(table, event));
    }
  });
  await sql.raw(COUNT_ALL);
}

export const down = (sql: Knex) =>
  sql.raw(`
    drop function record_assets_changes cascade;
    drop function record_alerts_changes cascade;
    drop function record_config_targets_changes cascade;
    drop table list_changes;
    drop table list_totals`);

type Event = 'insert' | 'update' | 'delete';

const TABLES = `
  create table if not exists list_totals (
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
    'assets: the active ones; alerts; targets:<job id>, while the job runs.';
  comment on column list_totals.key is
    'assets: empty for all, model:<model> for those of a model. alerts: the status. targets: the state.';

  create table if not exists list_changes (
    organization_id uuid not null,
    list text not null collate "C",
    key text not null collate "C",
    id uuid not null default uuidv7(),
    change bigint not null,
    constraint list_changes_pkey primary key (organization_id, list, key, id)
  );
  comment on table list_changes is
    'Changes of list_totals, written by triggers in the transaction of the change; the worker adds them to the '
    'totals every few seconds.'`;

/** What is inserted for the rows `changed`, each of which has a `change` of 1 or -1. */
const RECORDED: Record<string, { statement: (changed: string) => string; events: Event[] }> = {
  assets: {
    statement: (changed) => `
      select organization_id, 'assets', counted.key, sum(change) from ${changed}
      cross join lateral (select '' as key union all select 'model:' || model where model is not null) as counted
      where archived_at is null
      group by organization_id, counted.key having sum(change) <> 0`,
    events: ['insert', 'update', 'delete'],
  },
  alerts: {
    statement: (changed) => `
      select organization_id, 'alerts', status, sum(change) from ${changed}
      group by organization_id, status having sum(change) <> 0`,
    events: ['insert', 'update', 'delete'],
  },
  // Only jobs that have ended lose targets, and they keep their counts themselves.
  config_targets: {
    statement: (changed) => `
      select organization_id, 'targets:' || job_id, state, sum(change) from ${changed}
      group by organization_id, job_id, state having sum(change) <> 0`,
    events: ['insert', 'update'],
  },
};

const ADDED = 'select *, 1 as change from added';
const REMOVED = 'select *, -1 as change from removed';

const functionOf = (table: string, statement: (changed: string) => string) => `
  create or replace function record_${table}_changes() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      insert into list_changes (organization_id, list, key, change) ${statement(`(${ADDED}) as changed`)};
    elsif tg_op = 'DELETE' then
      insert into list_changes (organization_id, list, key, change) ${statement(`(${REMOVED}) as changed`)};
    else
      insert into list_changes (organization_id, list, key, change)
      ${statement(`(${ADDED} union all ${REMOVED}) as changed`)};
    end if;
    return null;
  end $$`;

const TRANSITIONS: Record<Event, string> = {
  insert: 'new table as added',
  update: 'old table as removed new table as added',
  delete: 'old table as removed',
};

const triggerOf = (table: string, event: Event) => `
  create or replace trigger ${table}_${event}_changes after ${event} on ${table}
  referencing ${TRANSITIONS[event]} for each statement execute function record_${table}_changes()`;

/** One snapshot shows the rows and the changes that are recorded for some of them: the rest is the total. */
const COUNT_ALL = `
  insert into list_totals (organization_id, list, key, total)
  select organization_id, list, key, sum(count) from (
    select organization_id, 'assets' as list, '' as key, count(*) from assets
    where archived_at is null group by 1
    union all
    select organization_id, 'assets', 'model:' || model, count(*) from assets
    where archived_at is null and model is not null group by 1, 3
    union all
    select organization_id, 'alerts', status, count(*) from alerts group by 1, 3
    union all
    select t.organization_id, 'targets:' || t.job_id, t.state, count(*) from config_targets t
    join config_jobs j on j.organization_id = t.organization_id and j.id = t.job_id and j.status = 'running'
    group by 1, 2, 3
    union all
    select organization_id, list, key, -sum(change) from list_changes group by 1, 2, 3
  ) as counted
  group by 1, 2, 3 order by 1, 2, 3
  on conflict on constraint list_totals_pkey do update set total = excluded.total`;
