import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { Collection } from '../events/collection.ts';
import type { LastDelivery, Webhook, WebhookSettings, WebhookStatus } from './endpoint.ts';

const COLUMNS = `id, name, url, status, disabled_reason as "disabledReason", events,
  last_delivered_at as "lastDeliveredAt", last_attempt_at as "lastAttemptAt", last_status as "lastStatus",
  last_status_code as "lastStatusCode", last_error as "lastError", created_at as "createdAt",
  updated_at as "updatedAt"`;
const IN_SCOPE = 'organization_id = ? and collection = ?';

/** One organization's webhooks of one collection: nothing is ever asked of more than that. */
export interface WebhookScope {
  organizationId: string;
  collection: Collection;
}

export interface NewWebhook extends WebhookSettings {
  id: string;
  /** Sealed. */
  secret: Buffer | null;
}

/** The secrets are sealed. */
export interface WebhookTarget {
  id: string;
  url: string;
  secret: Buffer | null;
  previousSecret: Buffer | null;
  previousSecretUntil: Date | null;
}

export interface WebhookFilter {
  status: WebhookStatus | null;
  /** null = all. */
  limit: number | null;
}

type WebhookRow = Omit<Webhook, 'delivery'> & LastDelivery;

const bindingsOf = ({ organizationId, collection }: WebhookScope) => [organizationId, collection];

function webhookOf(row: WebhookRow): Webhook {
  const { lastDeliveredAt, lastAttemptAt, lastStatus, lastStatusCode, lastError, ...rest } = row;
  return {
    ...rest,
    delivery: { lastDeliveredAt, lastAttemptAt, lastStatus, lastStatusCode, lastError },
  };
}

export type EndpointsRepository = ReturnType<typeof createEndpointsRepository>;

export function createEndpointsRepository(sql: Sql) {
  async function findOne(scope: WebhookScope, id: string, lock: '' | 'for update'): Promise<Webhook | null> {
    const [row] = await query<WebhookRow>(
      sql,
      `select ${COLUMNS} from endpoints where ${IN_SCOPE} and id = ? ${lock}`,
      [...bindingsOf(scope), id],
    );
    return row ? webhookOf(row) : null;
  }

  return {
    /** Newest last, and how many match beyond the limit too. */
    async list(
      scope: WebhookScope,
      { status, limit }: WebhookFilter,
    ): Promise<{ webhooks: Webhook[]; total: number }> {
      const rows = await query<WebhookRow & { total: number }>(
        sql,
        `select ${COLUMNS}, count(*) over () as total from endpoints
         where ${IN_SCOPE} and (?::text is null or status = ?) order by id limit ?`,
        [...bindingsOf(scope), status, status, limit],
      );
      return { webhooks: rows.map(({ total, ...row }) => webhookOf(row)), total: rows[0]?.total ?? 0 };
    },

    find: (scope: WebhookScope, id: string) => findOne(scope, id, ''),

    /** The webhook, locked until the transaction ends. */
    lock: (scope: WebhookScope, id: string) => findOne(scope, id, 'for update'),

    /** Makes others who want to add to the collection wait until the transaction ends. */
    async lockCollection(scope: WebhookScope): Promise<void> {
      await query(sql, `select pg_advisory_xact_lock(hashtextextended('webhooks:' || ? || ':' || ?, 0))`, [
        ...bindingsOf(scope),
      ]);
    },

    async count(scope: WebhookScope): Promise<number> {
      const [row] = await query<{ count: number }>(
        sql,
        `select count(*) from endpoints where ${IN_SCOPE}`,
        bindingsOf(scope),
      );
      return row?.count ?? 0;
    },

    /** The id of a webhook to be: its secret is sealed for it before the row is there. */
    async nextId(): Promise<string> {
      const [row] = await query<{ id: string }>(sql, 'select uuidv7() as id');
      return (row as { id: string }).id;
    },

    async insert(scope: WebhookScope, webhook: NewWebhook): Promise<Webhook> {
      const [row] = await query<WebhookRow>(
        sql,
        `insert into endpoints
           (organization_id, collection, id, name, url, status, disabled_reason, events, secret)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?) returning ${COLUMNS}`,
        [
          ...bindingsOf(scope),
          webhook.id,
          webhook.name,
          webhook.url,
          webhook.status,
          webhook.disabledReason,
          webhook.events,
          webhook.secret,
        ],
      );
      return webhookOf(row as WebhookRow);
    },

    /** updatedAt moves on by what its millisecond view can show, even when the clock stands or was set back. */
    async update(scope: WebhookScope, id: string, terms: WebhookSettings): Promise<Webhook> {
      const [row] = await query<WebhookRow>(
        sql,
        `update endpoints set name = ?, url = ?, status = ?, disabled_reason = ?, events = ?,
           updated_at = greatest(now(), updated_at + interval '1 millisecond')
         where ${IN_SCOPE} and id = ? returning ${COLUMNS}`,
        [terms.name, terms.url, terms.status, terms.disabledReason, terms.events, ...bindingsOf(scope), id],
      );
      return webhookOf(row as WebhookRow);
    },

    async updateSecret(scope: WebhookScope, id: string, sealed: Buffer | null): Promise<void> {
      await query(
        sql,
        `update endpoints set secret = ?, previous_secret = null where ${IN_SCOPE} and id = ?`,
        [sealed, ...bindingsOf(scope), id],
      );
    },

    /** Where and with what to sign: for an attempt outside the queue. */
    async findTarget(scope: WebhookScope, id: string): Promise<WebhookTarget | null> {
      const [row] = await query<WebhookTarget>(
        sql,
        `select id, url, secret, case when previous_secret_until > now() then previous_secret end as "previousSecret",
           case when previous_secret is not null and previous_secret_until > now() then previous_secret_until end
             as "previousSecretUntil"
         from endpoints where ${IN_SCOPE} and id = ?`,
        [...bindingsOf(scope), id],
      );
      return row ?? null;
    },

    /** The present secret becomes the previous one; answers whether there was one. */
    async rotateSecret(
      scope: WebhookScope,
      id: string,
      sealed: Buffer,
      previousUntil: Date,
    ): Promise<boolean> {
      const [row] = await query<{ hadOne: boolean }>(
        sql,
        `update endpoints set secret = ?, previous_secret = secret, previous_secret_until = ?,
           updated_at = greatest(now(), updated_at + interval '1 millisecond')
         where ${IN_SCOPE} and id = ? returning previous_secret is not null as "hadOne"`,
        [sealed, previousUntil, ...bindingsOf(scope), id],
      );
      return row?.hadOne ?? false;
    },

    /** False when there was none. */
    async remove(scope: WebhookScope, id: string): Promise<boolean> {
      const rows = await query(sql, `delete from endpoints where ${IN_SCOPE} and id = ? returning 1`, [
        ...bindingsOf(scope),
        id,
      ]);
      return rows.length > 0;
    },
  };
}
