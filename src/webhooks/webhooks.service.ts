import type { Sql } from '../db/database.ts';
import type { Transact } from '../db/transaction.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import type { SecretBox } from './secret-box.ts';
import {
  type ChangeWebhook,
  type CreateWebhook,
  changedWebhook,
  ENDPOINTS_MAX,
  NO_SUCH_WEBHOOK,
  newWebhook,
  type Webhook,
} from './webhook.ts';
import { webhookUrlFault } from './webhook-url.ts';
import type { WebhookScope, WebhooksRepository } from './webhooks.repository.ts';

export interface WebhooksServiceDeps {
  webhooksIn(sql: Sql): WebhooksRepository;
  secretBox: SecretBox;
  /** CIDR ranges that are no public addresses and all the same allowed. */
  allowedRanges: readonly string[];
}

export type WebhooksService = ReturnType<typeof createWebhooksService>;

export function createWebhooksService({ webhooksIn, secretBox, allowedRanges }: WebhooksServiceDeps) {
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
        return webhooks.insert(scope, { id, secret, ...newWebhook(scope.collection, asked) });
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
      return transact(async ({ sql }) => {
        const webhooks = webhooksIn(sql);
        const webhook = await webhooks.lock(scope, id);
        if (!webhook) throw notFound(NO_SUCH_WEBHOOK);
        if (change.secret !== undefined) {
          await webhooks.updateSecret(scope, id, sealedFor(webhook.id, scope, change.secret));
        }
        return webhooks.update(scope, id, changedWebhook(webhook, change));
      });
    },

    remove(transact: Transact, scope: WebhookScope, id: string): Promise<void> {
      return transact(async ({ sql }) => {
        if (!(await webhooksIn(sql).remove(scope, id))) throw notFound(NO_SUCH_WEBHOOK);
      });
    },
  };

  /** The id is the row's own, not the caller's spelling of it. */
  function sealedFor(
    webhookId: string,
    { organizationId }: WebhookScope,
    secret: string | null,
  ): Buffer | null {
    return secret === null ? null : secretBox.seal(secret, { organizationId, webhookId });
  }
}
