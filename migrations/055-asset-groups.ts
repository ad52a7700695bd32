import type { Knex } from 'knex';

/** `concurrently` does not run in a transaction. */
export const config = { transaction: false };

export async function up(sql: Knex): Promise<void> {
  await sql.transaction(async (trx) => {
    await trx.raw(`set local lock_timeout = '5s'`);
    await trx.raw(COLUMN);
    await trx.raw(functionOf(`${KEYS} union all select 'group:' || group_id where group_id is not null`));
  });
  await sql.raw('alter table assets validate constraint assets_group_fkey');
  // A build that was interrupted leaves an invalid index behind.
  await sql.raw('drop index concurrently if exists assets_group_idx');
  await sql.raw(
    'create index concurrently assets_group_idx on assets (organization_id, group_id, id) where group_id is not null',
  );
}

export const down = (sql: Knex) =>
  sql.raw(`
    ${functionOf(KEYS)};
    delete from list_changes where list = 'assets' and key like 'group:%';
    delete from list_totals where list = 'assets' and key like 'group:%';
    alter table assets drop column group_id`);

const COLUMN = `
  alter table assets add column if not exists group_id uuid;
  alter table assets drop constraint if exists assets_group_fkey;
  alter table assets add constraint assets_group_fkey foreign key (organization_id, group_id)
    references groups (organization_id, id) not valid;
  comment on column assets.group_id is
    'Null: in no group, or archived. How many are in a group is kept in list_totals, list assets, key group:<id>.'`;

const KEYS = `select '' as key union all select 'model:' || model where model is not null`;

/** As it was before, with other keys: no asset is in a group yet, so nothing has to be counted. */
function functionOf(keys: string): string {
  const statement = (changed: string) => `
      select organization_id, 'assets', counted.key, sum(change) from ${changed}
      cross join lateral (${keys}) as counted
      where archived_at is null
      group by organization_id, counted.key having sum(change) <> 0`;
  return `
  create or replace function record_assets_changes() returns trigger language plpgsql as $$
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
}

const ADDED = 'select *, 1 as change from added';
const REMOVED = 'select *, -1 as change from removed';
