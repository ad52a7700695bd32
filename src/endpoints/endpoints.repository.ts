import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { Collection } from '../events/collection.ts';
import type { Endpoint, EndpointSettings, EndpointStatus, LastDelivery } from './endpoint.ts';

const COLUMNS = `id, name, url, status, breaker, disabled_reason as "disabledReason", events,
  last_delivered_at as "lastDeliveredAt", last_attempt_at as "lastAttemptAt", last_status as "lastStatus",
  last_status_code as "lastStatusCode", last_error as "lastError", created_at as "createdAt",
  updated_at as "updatedAt"`;
/** A deleted endpoint is there for the worker alone, until its queue is cancelled. */
const IN_SCOPE = 'organization_id = ? and collection = ? and deleted_at is null';

/** One organization's endpoints of one collection: no statement here reaches beyond that. */
export interface EndpointScope {
  organizationId: string;
  collection: Collection;
}

export interface NewEndpoint extends EndpointSettings {
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

export interface EndpointFilter {
  status: EndpointStatus | null;
  /** null = all. */
  limit: number | null;
}

export type EndpointsRepository = ReturnType<typeof createEndpointsRepository>;

export function createEndpointsRepository(sql: Sql) {
  async function findOne(
    scope: EndpointScope,
    id: string,
    lock: '' | 'for no key update',
  ): Promise<Endpoint | null> {
    const [row] = await query<EndpointRow>(
      sql,
      `select ${COLUMNS} from endpoints where ${IN_SCOPE} and id = ? ${lock}`,
      [...toBindings(scope), id],
    );
    return row ? toEndpoint(row) : null;
  }

  return {
    /** Newest last; `total` counts what matches beyond the limit, too. */
    async list(
      scope: EndpointScope,
      { status, limit }: EndpointFilter,
    ): Promise<{ items: Endpoint[]; total: number }> {
      const rows = await query<EndpointRow & { total: number }>(
        sql,
        `select ${COLUMNS}, count(*) over () as total from endpoints
         where ${IN_SCOPE} and (?::text is null or status = ?) order by id limit ?`,
        [...toBindings(scope), status, status, limit],
      );
      return { items: rows.map(({ total, ...row }) => toEndpoint(row)), total: rows[0]?.total ?? 0 };
    },

    find: (scope: EndpointScope, id: string) => findOne(scope, id, ''),

    /** Locks the row until the transaction ends; events that happen meanwhile are queued all the same. */
    lock: (scope: EndpointScope, id: string) => findOne(scope, id, 'for no key update'),

    /** Makes others who add to the collection wait until the transaction ends. */
    async lockCollection(scope: EndpointScope): Promise<void> {
      await query(
        sql,
        `select pg_advisory_xact_lock(hashtextextended('endpoints:' || ? || ':' || ?, 0))`,
        toBindings(scope),
      );
    },

    async count(scope: EndpointScope): Promise<number> {
      const [row] = await query<{ count: number }>(
        sql,
        `select count(*) from endpoints where ${IN_SCOPE}`,
        toBindings(scope),
      );
      return row?.count ?? 0;
    },

    /** The id of an endpoint to be inserted: its secret is encrypted for that id before the row exists. */
    async nextId(): Promise<string> {
      const [row] = await query<{ id: string }>(sql, 'select uuidv7() as id');
      return (row as { id: string }).id;
    },

    async insert(scope: EndpointScope, endpoint: NewEndpoint): Promise<Endpoint> {
      const { id, name, url, status, disabledReason, events, secret } = endpoint;
      const [row] = await query<EndpointRow>(
        sql,
        `insert into endpoints
           (organization_id, collection, id, name, url, status, disabled_reason, events, secret)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?) returning ${COLUMNS}`,
        [...toBindings(scope), id, name, url, status, disabledReason, events, secret],
      );
      return toEndpoint(row as EndpointRow);
    },

    /** updatedAt grows by at least the millisecond that its view shows, even when the clock stands or was set back. */
    async update(scope: EndpointScope, id: string, settings: EndpointSettings): Promise<Endpoint> {
      const { name, url, status, disabledReason, events } = settings;
      const [row] = await query<EndpointRow>(
        sql,
        `update endpoints set name = ?, url = ?, status = ?, disabled_reason = ?, events = ?,
           disabled_at = nullif(least(now(), case when status = 'active' and ?::text = 'disabled' then 'infinity'
             else coalesce(disabled_at, '-infinity') end), '-infinity'),
           updated_at = greatest(now(), (updated_at at time zone 'UTC' + interval '1 millisecond') at time zone 'UTC')
         where ${IN_SCOPE} and id = ? returning ${COLUMNS}`,
        [name, url, status, disabledReason, events, status, ...toBindings(scope), id],
      );
      return toEndpoint(row as EndpointRow);
    },

    async updateSecret(scope: EndpointScope, id: string, sealed: Buffer | null): Promise<void> {
      await query(
        sql,
        `update endpoints set secret = ?, previous_secret = null where ${IN_SCOPE} and id = ?`,
        [sealed, ...toBindings(scope), id],
      );
    },

    /** What an attempt outside the queue needs. */
    async findTarget(scope: EndpointScope, id: string): Promise<EndpointTarget | null> {
      const [row] = await query<EndpointTarget>(
        sql,
        `select id, url, secret, case when previous_secret_until > now() then previous_secret end as "previousSecret",
           case when previous_secret is not null and previous_secret_until > now() then previous_secret_until end
             as "previousSecretUntil"
         from endpoints where ${IN_SCOPE} and id = ?`,
        [...toBindings(scope), id],
      );
      return row ?? null;
    },

    /** The current secret becomes the previous one. Returns whether there was one. */
    async rotateSecret(
      scope: EndpointScope,
      id: string,
      sealed: Buffer,
      previousUntil: Date,
    ): Promise<boolean> {
      const [row] = await query<{ hadOne: boolean }>(
        sql,
        `update endpoints set secret = ?, previous_secret = secret, previous_secret_until = ?,
           updated_at = greatest(now(), (updated_at at time zone 'UTC' + interval '1 millisecond') at time zone 'UTC')
         where ${IN_SCOPE} and id = ? returning previous_secret is not null as "hadOne"`,
        [sealed, previousUntil, ...toBindings(scope), id],
      );
      return row?.hadOne ?? false;
    },

    /**
     * Marks the endpoint as deleted: nothing is sent to it or queued for it from then on. Returns its id as it was
     * stored, null when there was no such endpoint.
     */
    async remove(scope: EndpointScope, id: string): Promise<string | null> {
      const [row] = await query<{ id: string }>(
        sql,
        `update endpoints set deleted_at = now(), status = 'disabled', disabled_reason = 'customer', breaker = 'closed',
           next_probe_at = null, secret = null, previous_secret = null
         where ${IN_SCOPE} and id = ? returning id`,
        [...toBindings(scope), id],
      );
      return row?.id ?? null;
    },
  };
}

type EndpointRow = Omit<Endpoint, 'delivery'> & LastDelivery;

const toBindings = ({ organizationId, collection }: EndpointScope) => [organizationId, collection];

function toEndpoint(row: EndpointRow): Endpoint {
  const { lastDeliveredAt, lastAttemptAt, lastStatus, lastStatusCode, lastError, ...rest } = row;
  const delivery = { lastDeliveredAt, lastAttemptAt, lastStatus, lastStatusCode, lastError };
  return { ...rest, delivery };
}
