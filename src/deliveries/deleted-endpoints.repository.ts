/**
 * Rows that deleted endpoints leave behind, of all organizations. Each statement is short, however much was
 * queued.
 */
import { acrossOrganizations } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import type { EndpointRef } from '../endpoints/endpoint.ts';

/** Takes about 25 ms of the database, which senders share. */
const CANCELLED_PER_STATEMENT = 200;
/** Longer than a lease, and than a transaction that may still queue events for the endpoint. */
const KEPT_MINUTES = 10;

const QUEUED = ['pending', 'retrying'] as const;

export function createDeletedEndpointsRepository(sql: Database) {
  const deleted = () =>
    acrossOrganizations(sql('endpoints'))
      .whereNotNull('deleted_at')
      .select({ organizationId: 'organization_id', endpointId: 'id' });
  const queued = ({ organizationId, endpointId }: EndpointRef, state: (typeof QUEUED)[number]) =>
    sql('deliveries').where({ organization_id: organizationId, endpoint_id: endpointId, state });
  const isQueued = async (endpoint: EndpointRef, state: (typeof QUEUED)[number]): Promise<boolean> =>
    (await queued(endpoint, state).orderBy('id').first('id')) !== undefined;

  return {
    /** Cancels a part of the queued deliveries. Returns their number. */
    async cancelQueued(): Promise<number> {
      for (const endpoint of await deleted()) {
        for (const state of QUEUED) {
          const ids = await queued(endpoint, state).orderBy('id').limit(CANCELLED_PER_STATEMENT).pluck('id');
          if (ids.length === 0) continue;
          return queued(endpoint, state)
            .whereRaw('id = any(?::uuid[])', [ids])
            .update({ state: 'cancelled', next_attempt_at: null, updated_at: sql.fn.now() });
        }
      }
      return 0;
    },

    /** Removes endpoints whose queue is cancelled, with their hours and their replays. */
    async removeEmptied(): Promise<void> {
      const endpoints = await deleted().whereRaw('deleted_at < now() - make_interval(mins => ?)', [
        KEPT_MINUTES,
      ]);
      for (const endpoint of endpoints) {
        if ((await isQueued(endpoint, 'pending')) || (await isQueued(endpoint, 'retrying'))) continue;
        const { organizationId: organization_id, endpointId: endpoint_id } = endpoint;
        await sql('endpoint_hours').where({ organization_id, endpoint_id }).delete();
        await sql('delivery_replays').where({ organization_id, endpoint_id }).delete();
        await sql('endpoints').where({ organization_id, id: endpoint_id }).delete();
      }
    },
  };
}
