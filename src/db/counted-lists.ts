/**
 * Totals of lists where tables are distributed. Citus does not run the triggers that keep the totals, so they
 * are counted on reading: on the one node with the rows of the organization, by an index. Views replace the
 * tables of kept totals, so readers need not know.
 */
import type { Database } from './database.ts';
import { query } from './query.ts';
import { createTransact } from './transaction.ts';

/** The triggers that keep the totals. */
const TRIGGERS = `select t.tgrelid::regclass::text as "table", t.tgname as name
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where not t.tgisinternal and t.tgparentid = 0 and c.relnamespace = current_schema()::regnamespace`;

/** Names of lists and keys are the same as in the triggers. */
const TOTALS = `
  create view list_totals as
  select organization_id, 'assets'::text as list, ''::text as key, count(*) as total
  from assets where archived_at is null group by organization_id
  union all
  select organization_id, 'assets', 'model:' || model, count(*)
  from assets where archived_at is null and model is not null group by organization_id, model
  union all
  select organization_id, 'assets', 'group:' || group_id, count(*)
  from assets where archived_at is null and group_id is not null group by organization_id, group_id
  union all
  select organization_id, 'alerts', status, count(*) from alerts group by organization_id, status
  union all
  select organization_id, 'alerts', 'type:' || type || ':' || status, count(*)
  from alerts group by organization_id, type, status
  union all
  select organization_id, 'devices', 'status:' || status, count(*)
  from device_states where is_active group by organization_id, status
  union all
  select organization_id, 'devices', 'battery:' || battery_status, count(*)
  from device_states where is_active group by organization_id, battery_status
  union all
  select organization_id, 'devices', 'sync:' || sync_status, count(*)
  from device_configs where is_active group by organization_id, sync_status
  union all
  select organization_id, 'devices', 'profile:none', count(*)
  from device_configs where is_active and not has_had_profile group by organization_id
  union all
  select organization_id, 'targets:' || job_id::text, state, count(*)
  from config_targets group by organization_id, 'targets:' || job_id::text, state`;

const CHANGES = `
  create view list_changes as
  select null::uuid as organization_id, null::text as list, null::text as key, null::uuid as id, null::bigint as change
  where false`;

/** Does nothing if it was done before. */
export async function countListsOnRead(database: Database): Promise<void> {
  await createTransact(database)(async ({ sql }) => {
    const kept = await query(
      sql,
      `select from pg_class where oid = to_regclass('list_totals') and relkind = 'r'`,
    );
    if (kept.length === 0) return;
    for (const { table, name } of await query<{ table: string; name: string }>(sql, TRIGGERS)) {
      await query(sql, `drop trigger ${name} on ${table}`);
    }
    await query(sql, 'drop table list_totals, list_changes');
    await query(
      sql,
      `create index config_targets_list_idx on config_targets (organization_id, ('targets:' || job_id::text), state)`,
    );
    await query(sql, TOTALS);
    await query(sql, CHANGES);
  });
}
