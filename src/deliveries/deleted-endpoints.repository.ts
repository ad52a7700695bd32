/**
 * Rows that deleted endpoints leave behind, of all organizations. Each statement is short, however much was
 * queued.
 */
import { acrossOrganizations } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { workOnDueRows } from '../db/due-rows.ts';

/** Takes about 25 ms of the database, which senders share. */
const CANCELLED_PER_STATEMENT = 200;
/** Longer than a lease, and than a transaction that may still queue events for the endpoint. */
const KEPT_MINUTES = 10;

const OF_DELETED = 'd.organization_id = ep.organization_id and d.endpoint_id = ep.id';
const CANCELLABLE = `order by d.id limit ${CANCELLED_PER_STATEMENT} for update skip locked`;

/**
 * The array keeps PostgreSQL from choosing partitions by `q.id`, which crashes some releases of it: see OUTBOX_SESSION.
 */
const CANCEL_QUEUED = `
  with queued as materialized (
    select d.* from unnest(:organizationIds::uuid[], :ids::uuid[]) as ep (organization_id, id)
    cross join lateral (
      select * from (select d.organization_id, d.endpoint_id, d.id from deliveries d
        where ${OF_DELETED} and d.state = 'pending' ${CANCELLABLE}) as untried
      union all
      select * from (select d.organization_id, d.endpoint_id, d.id from deliveries d
        where ${OF_DELETED} and d.state = 'retrying' ${CANCELLABLE}) as tried
    ) as d limit ${CANCELLED_PER_STATEMENT}
  )
  update deliveries d set state = 'cancelled', next_attempt_at = null, updated_at = now() from queued q
  where d.organization_id = q.organization_id and d.endpoint_id = q.endpoint_id and d.id = any (array_append('{}'::uuid[], q.id))
  returning 1`;
const REMOVE_EMPTIED = `
  with removed as (
    delete from endpoints ep using unnest(:organizationIds::uuid[], :ids::uuid[]) as kept (organization_id, id)
    where ep.organization_id = kept.organization_id and ep.id = kept.id
      and (select d.id from deliveries d where ${OF_DELETED} and d.state = 'pending' order by d.id limit 1) is null
      and (select d.id from deliveries d where ${OF_DELETED} and d.state = 'retrying' order by d.id limit 1) is null
    returning ep.organization_id, ep.id
  ), hours as (
    delete from endpoint_hours h using removed r
    where h.organization_id = r.organization_id and h.endpoint_id = r.id
  )
  delete from delivery_replays p using removed r
  where p.organization_id = r.organization_id and p.endpoint_id = r.id
  returning 1`;

export function createDeletedEndpointsRepository(sql: Database) {
  const deleted = () =>
    acrossOrganizations(sql('endpoints'))
      .whereNotNull('deleted_at')
      .select({ organizationId: 'organization_id', id: 'id' });

  return {
    /** Cancels a part of the queued deliveries. Returns their number. */
    async cancelQueued(): Promise<number> {
      return (await workOnDueRows(sql, { list: deleted(), work: CANCEL_QUEUED })).length;
    },

    /** Removes endpoints whose queue is cancelled, with their hours and their replays. */
    async removeEmptied(): Promise<void> {
      const list = deleted().whereRaw('deleted_at < now() - make_interval(mins => ?)', [KEPT_MINUTES]);
      await workOnDueRows(sql, { list, work: REMOVE_EMPTIED });
    },
  };
}
