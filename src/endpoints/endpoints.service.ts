import type { Sql } from '../db/database.ts';
import type { Transact } from '../db/transaction.ts';
import { conflict, invalid, notFound } from '../process/errors.ts';
import type { Log } from '../process/log.ts';
import {
  type ChangeWebhook,
  type CreateWebhook,
  changedWebhook,
  ENDPOINTS_MAX,
  type EndpointRef,
  NO_SUCH_WEBHOOK,
  newWebhook,
  type Webhook,
} from './endpoint.ts';
import { webhookUrlFault } from './endpoint-url.ts';
import type { EndpointsRepository, WebhookScope } from './endpoints.repository.ts';
import type { SecretBox } from './secret-box.ts';

/** What is queued for an endpoint, in the transaction that changes it. */
export interface EndpointDeliveries {
  moveQueued(endpointId: string, from: string[], to: 'held' | 'pending' | 'cancelled'): Promise<number>;
  /** What is on its way to being sent is looked at again. */
  announceChange(endpointId: string): Promise<void>;
}

/** The health of an endpoint, in the transaction that changes it. */
export interface EndpointBreaker {
  /** Back in service: what was held drains, and its failures are forgotten. */
  restore(endpointId: string, hasBacklog: boolean): Promise<void>;
  probeNow(endpointId: string): Promise<void>;
}

export interface WebhooksServiceDeps {
  webhooksIn(sql: Sql): EndpointsRepository;
  deliveriesIn(sql: Sql): EndpointDeliveries;
  endpointsIn(sql: Sql): EndpointBreaker;
  /** The endpoint's workflow has something to do. */
  notifyRecovery(endpoint: EndpointRef): void;
  secretBox: SecretBox;
  /** CIDR ranges that are no public addresses and all the same allowed. */
  allowedRanges: readonly string[];
  log: Log;
}

export type WebhooksService = ReturnType<typeof createWebhooksService>;

export function createWebhooksService(deps: WebhooksServiceDeps) {
  const { webhooksIn, deliveriesIn, endpointsIn, secretBox, allowedRanges } = deps;

  function checkUrl(url: string): void {
    const fault = webhookUrlFault(url, allowedRanges);
    if (fault !== null) throw invalid(`url ${fault}`);
  }

  return {
    /** Adds an endpoint; 409 when the collection is full, however many are adding at the same time. */
    async add(transact: Transact, scope: WebhookScope, asked: CreateWebhook): Promise<Webhook> {
      checkUrl(asked.url);
      return transact(async ({ sql }) => {
        const webhooks = webhooksIn(sql);
        await webhooks.lockCollection(scope);
        if ((await webhooks.count(scope)) >= ENDPOINTS_MAX) {
          throw conflict(
            `There are ${ENDPOINTS_MAX} webhooks in this collection, the most it holds: delete one`,
          );
        }
        const id = await webhooks.nextId();
        const secret = sealedFor(id, scope, asked.secret ?? null);
        return webhooks.insert(scope, { id, secret, ...newWebhook(asked) });
      });
    },

    /** What is absent stays; `secret: null` takes the secret away. */
    async change(
      transact: Transact,
      scope: WebhookScope,
      id: string,
      change: ChangeWebhook,
    ): Promise<Webhook> {
      if (change.url !== undefined) checkUrl(change.url);
      return transact(async ({ sql, afterCommit }) => {
        const webhooks = webhooksIn(sql);
        const webhook = await webhooks.lock(scope, id);
        if (!webhook) throw notFound(NO_SUCH_WEBHOOK);
        if (change.secret !== undefined) {
          await webhooks.updateSecret(scope, id, sealedFor(webhook.id, scope, change.secret));
        }
        const changed = await webhooks.update(scope, id, changedWebhook(webhook, change));
        await deliveriesIn(sql).announceChange(webhook.id);
        if (webhook.status !== changed.status) {
          const fields = { endpointId: changed.id, reason: changed.disabledReason };
          afterCommit(() =>
            deps.log.info(fields, `webhook.${changed.status === 'active' ? 'enabled' : 'disabled'}`),
          );
        }
        if (await hasToWake(sql, webhook, changed)) {
          afterCommit(() =>
            deps.notifyRecovery({ organizationId: scope.organizationId, endpointId: webhook.id }),
          );
        }
        return changed;
      });
    },

    remove(transact: Transact, scope: WebhookScope, id: string): Promise<void> {
      return transact(async ({ sql }) => {
        if (!(await webhooksIn(sql).remove(scope, id))) throw notFound(NO_SUCH_WEBHOOK);
        const queue = deliveriesIn(sql);
        await queue.moveQueued(id, ['pending', 'sending', 'retrying', 'held'], 'cancelled');
        await queue.announceChange(id.toLowerCase());
      });
    },
  };

  /** Disabling holds what is queued, enabling releases it; a new URL is tried soon. True when there is work to do. */
  async function hasToWake(sql: Sql, before: Webhook, after: Webhook): Promise<boolean> {
    if (after.status === 'disabled') {
      if (before.status === 'active')
        await deliveriesIn(sql).moveQueued(after.id, ['pending', 'retrying'], 'held');
      return false;
    }
    if (before.status === 'disabled') {
      const released = await deliveriesIn(sql).moveQueued(after.id, ['held'], 'pending');
      await endpointsIn(sql).restore(after.id, released > 0);
      return released > 0;
    }
    if (before.url === after.url) return false;
    await endpointsIn(sql).probeNow(after.id);
    return true;
  }

  /** The id is the row's own, not the caller's spelling of it. */
  function sealedFor(
    endpointId: string,
    { organizationId }: WebhookScope,
    secret: string | null,
  ): Buffer | null {
    return secret === null ? null : secretBox.seal(secret, { organizationId, rowId: endpointId });
  }
}
