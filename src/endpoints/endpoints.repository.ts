import { countRows, lockName, nextId, nextUpdate } from '../db/builder.ts';
import type { Columns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { Collection } from '../events/event.ts';
import type { Endpoint, EndpointRef, EndpointSettings, EndpointStatus, LastDelivery } from './endpoint.ts';

/** One organization's endpoints of one collection; all statements here are limited to it. */
export interface EndpointScope {
  organizationId: string;
  collection: Collection;
}

interface NewEndpoint extends EndpointSettings {
  id: string;
  /** Encrypted. */
  secret: Buffer | null;
}

/** The secrets are encrypted. */
export interface EndpointTarget {
  id: string;
  url: string;
  secret: Buffer | null;
  previousSecret: Buffer | null;
  previousSecretUntil: Date | null;
}

interface EndpointFilter {
  status: EndpointStatus | null;
  /** Null: all. */
  limit: number | null;
}

interface EndpointRow extends Columns<Omit<Endpoint, 'delivery'> & LastDelivery & EndpointTarget> {
  organization_id: string;
  collection: Collection;
  disabled_at: Date | null;
  failing_since: Date | null;
  next_probe_at: Date | null;
  recovered_at: Date | null;
  draining_since: Date | null;
  enabled_at: Date | null;
  workflow_checked_at: Date | null;
  workflow_due_at: Date | null;
  deleted_at: Date | null;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    endpoints: EndpointRow;
  }
}

const toEndpoint = (row: EndpointRow): Endpoint => ({
  id: row.id,
  name: row.name,
  url: row.url,
  status: row.status,
  breaker: row.breaker,
  disabledReason: row.disabled_reason,
  events: row.events,
  delivery: {
    lastDeliveredAt: row.last_delivered_at,
    lastAttemptAt: row.last_attempt_at,
    lastStatus: row.last_status,
    lastStatusCode: row.last_status_code,
    lastError: row.last_error,
  },
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toColumns = ({ name, url, status, disabledReason, events }: EndpointSettings) => ({
  name,
  url,
  status,
  disabled_reason: disabledReason,
  events,
});

export type EndpointsRepository = ReturnType<typeof createEndpointsRepository>;

export function createEndpointsRepository(sql: Database) {
  /** Deleted endpoints stay for the worker alone, until their queue is cancelled. */
  const within = ({ organizationId, collection }: EndpointScope) =>
    sql('endpoints').where({ organization_id: organizationId, collection, deleted_at: null });

  return {
    /** Newest last; `total` also counts matches beyond the limit. */
    async list(
      scope: EndpointScope,
      { status, limit }: EndpointFilter,
    ): Promise<{ items: Endpoint[]; total: number }> {
      const list = within(scope)
        .orderBy('id')
        .select<Array<EndpointRow & { total: number }>>('*', sql.raw('count(*) over () as total'));
      if (status !== null) list.where({ status });
      if (limit !== null) list.limit(limit);
      const rows = await list;
      return { items: rows.map(toEndpoint), total: rows[0]?.total ?? 0 };
    },

    async find(scope: EndpointScope, id: string): Promise<Endpoint | null> {
      const row = await within(scope).where({ id }).first();
      return row ? toEndpoint(row) : null;
    },

    /** Null when the endpoint was deleted. */
    async findCollection({ organizationId, endpointId }: EndpointRef): Promise<Collection | null> {
      const row = await sql('endpoints')
        .where({ organization_id: organizationId, id: endpointId, deleted_at: null })
        .first('collection');
      return row?.collection ?? null;
    },

    /** Locks the row until the transaction ends; events are still queued meanwhile. */
    async lock(scope: EndpointScope, id: string): Promise<Endpoint | null> {
      const row = await within(scope).where({ id }).first().forNoKeyUpdate();
      return row ? toEndpoint(row) : null;
    },

    /** Serializes additions to the collection until the transaction ends. */
    lockCollection: ({ organizationId, collection }: EndpointScope): Promise<void> =>
      lockName(sql, `endpoints:${organizationId}:${collection}`),

    count: (scope: EndpointScope): Promise<number> => countRows(within(scope)),

    /** The id of an endpoint to be inserted: its secret is encrypted for that id before the row exists. */
    nextId: (): Promise<string> => nextId(sql),

    async insert(
      { organizationId, collection }: EndpointScope,
      { id, secret, ...settings }: NewEndpoint,
    ): Promise<Endpoint> {
      const [row] = await sql('endpoints')
        .insert({ organization_id: organizationId, collection, id, secret, ...toColumns(settings) })
        .returning('*');
      return toEndpoint(row as EndpointRow);
    },

    async update(scope: EndpointScope, id: string, settings: EndpointSettings): Promise<Endpoint> {
      const disabledAt = sql.raw(
        `nullif(least(now(), case when status = 'active' and ?::text = 'disabled' then 'infinity'
           else coalesce(disabled_at, '-infinity') end), '-infinity')`,
        [settings.status],
      );
      const [row] = await within(scope)
        .where({ id })
        .update({
          ...toColumns(settings),
          disabled_at: disabledAt,
          // It counts towards disabling the endpoint, and another receiver has not failed yet.
          failing_since: sql.raw('case when url = ? then failing_since end', [settings.url]),
          updated_at: nextUpdate(sql),
        })
        .returning('*');
      return toEndpoint(row as EndpointRow);
    },

    async updateSecret(scope: EndpointScope, id: string, sealed: Buffer | null): Promise<void> {
      await within(scope).where({ id }).update({ secret: sealed, previous_secret: null });
    },

    /** The data for an attempt outside the queue. */
    async findTarget(scope: EndpointScope, id: string): Promise<EndpointTarget | null> {
      const row = await within(scope)
        .where({ id })
        .select<Array<EndpointRow & { has_previous: boolean | null }>>(
          '*',
          sql.raw('previous_secret is not null and previous_secret_until > now() as has_previous'),
        )
        .first();
      return row
        ? {
            id: row.id,
            url: row.url,
            secret: row.secret,
            previousSecret: row.has_previous ? row.previous_secret : null,
            previousSecretUntil: row.has_previous ? row.previous_secret_until : null,
          }
        : null;
    },

    /** Makes the current secret the previous one. Returns whether there was one. */
    async rotateSecret(
      scope: EndpointScope,
      id: string,
      sealed: Buffer,
      previousUntil: Date,
    ): Promise<boolean> {
      const [row] = await within(scope)
        .where({ id })
        .update({
          secret: sealed,
          previous_secret: sql.raw('secret'),
          previous_secret_until: previousUntil,
          updated_at: nextUpdate(sql),
        })
        .returning('previous_secret');
      return row?.previous_secret != null;
    },

    /**
     * Marks the endpoint as deleted: from now on, nothing is sent to it or queued for it. Returns its id as
     * stored, null when there is no such endpoint.
     */
    async remove(scope: EndpointScope, id: string): Promise<string | null> {
      const [row] = await within(scope)
        .where({ id })
        .update({
          deleted_at: sql.fn.now(),
          status: 'disabled',
          disabled_reason: 'customer',
          breaker: 'closed',
          next_probe_at: null,
          secret: null,
          previous_secret: null,
        })
        .returning('id');
      return row?.id ?? null;
    },
  };
}
