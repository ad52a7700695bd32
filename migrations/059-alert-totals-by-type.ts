import type { Knex } from 'knex';

/** The function is committed before anything is counted: from then on every change is recorded by type, too. */
export const config = { transaction: false };

const byStatus = (changed: string) => `
      select organization_id, 'alerts', status, sum(change) from ${changed}
      group by organization_id, status having sum(change) <> 0`;

const byStatusAndType = (changed: string) => `
      select organization_id, 'alerts', counted.key, sum(change) from ${changed}
      cross join lateral (
        select status as key union all select 'type:' || type || ':' || status
      ) as counted
      group by organization_id, counted.key having sum(change) <> 0`;

export async function up(sql: Knex): Promise<void> {
  await sql.raw(functionOf(byStatusAndType));
  await sql.raw(COUNT_TYPES);
  await sql.raw(commentOf('alerts: the status, and type:<type>:<status>'));
  // A build that was interrupted leaves an invalid index behind.
  await sql.raw('drop index concurrently if exists alerts_type_idx');
  await sql.raw('create index concurrently alerts_type_idx on alerts (organization_id, type, id)');
}

export async function down(sql: Knex): Promise<void> {
  await sql.raw('drop index concurrently if exists alerts_type_idx');
  await sql.raw(functionOf(byStatus));
  await sql.raw(`delete from list_changes where list = 'alerts' and key like 'type:%'`);
  await sql.raw(`delete from list_totals where list = 'alerts' and key like 'type:%'`);
  await sql.raw(commentOf('alerts: the status'));
}

const commentOf = (alerts: string) => `
  comment on column list_totals.key is
    'assets: empty for all, model:<model> for those of a model. ${alerts}. targets: the state.'`;

const ADDED = 'select *, 1 as change from added';
const REMOVED = 'select *, -1 as change from removed';

/** To the letter as the migration that made it, so that `down` restores it. */
const functionOf = (statement: (changed: string) => string) => `
  create or replace function record_alerts_changes() returns trigger language plpgsql as $$
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

/** One snapshot shows the alerts and the changes that are recorded for some of them: the rest is the total. */
const COUNT_TYPES = `
  insert into list_totals (organization_id, list, key, total)
  select organization_id, list, key, sum(count) from (
    select organization_id, 'alerts' as list, 'type:' || type || ':' || status as key, count(*)
    from alerts group by 1, 3
    union all
    select organization_id, list, key, -sum(change) from list_changes
    where list = 'alerts' and key like 'type:%' group by 1, 2, 3
  ) as counted
  group by 1, 2, 3 order by 1, 2, 3
  on conflict on constraint list_totals_pkey do update set total = excluded.total`;
