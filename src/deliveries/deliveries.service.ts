/** What customers do with deliveries: look, send again, replay a span, try an endpoint, rotate its secret. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Sql } from '../db/database.ts';
import { firstIdAt } from '../db/partitions.ts';
import type { Transact } from '../db/transaction.ts';
import { type EndpointRef, NO_SUCH_WEBHOOK, type Webhook } from '../endpoints/endpoint.ts';
import type { EndpointHealthRepository } from '../endpoints/endpoint-health.repository.ts';
import { secretFault } from '../endpoints/endpoint-secret.ts';
import type { EndpointsRepository, WebhookScope } from '../endpoints/endpoints.repository.ts';
import type { SecretBox, SecretOwner } from '../endpoints/secret-box.ts';
import { serializeEvent } from '../events/event.ts';
import { conflict, invalid, notFound } from '../process/errors.ts';
import type { DeliveriesRepository } from './deliveries.repository.ts';
import { type AttemptResult, type Delivery, NO_SUCH_DELIVERY } from './delivery.ts';
import type { OutgoingRequest } from './sender.service.ts';

declare module '../db/domain-event.ts' {
  interface EventTypes {
    'webhook.test': { note: string };
  }
}

export interface DeliveriesServiceDeps {
  webhooksIn(sql: Sql): EndpointsRepository;
  deliveriesIn(sql: Sql): DeliveriesRepository;
  endpointsIn(sql: Sql): EndpointHealthRepository;
  secretBox: SecretBox;
  send(outgoing: OutgoingRequest): Promise<AttemptResult>;
  /** How long an old secret signs along. */
  secretGracePeriodMs: number;
  now(): Date;
  /** The endpoint's workflow has something to do. */
  notifyRecovery(endpoint: EndpointRef): void;
}

/** No replay without an end misses what a clock that is ahead of ours has written. */
const END_OF_TIME = new Date(253_402_300_799_999);
/** Ids of times begin in 1970. */
const inEpoch = (at: Date) => new Date(Math.max(0, at.getTime()));

export interface ReplayRequest {
  since: Date;
  until?: Date;
  states: string[];
}

export type DeliveriesService = ReturnType<typeof createDeliveriesService>;

export function createDeliveriesService(deps: DeliveriesServiceDeps) {
  const { webhooksIn, deliveriesIn, endpointsIn, secretBox, now } = deps;

  async function lockActive(sql: Sql, scope: WebhookScope, id: string): Promise<Webhook> {
    const webhook = await webhooksIn(sql).lock(scope, id);
    if (!webhook) throw notFound(NO_SUCH_WEBHOOK);
    if (webhook.status !== 'active') throw conflict('The webhook is disabled: enable it first');
    return webhook;
  }

  /** One that cannot be opened any more is replaced like any other. */
  function isSealed(sealed: Buffer, secret: string, owner: SecretOwner): boolean {
    try {
      return secretBox.open(sealed, owner) === secret;
    } catch {
      return false;
    }
  }

  return {
    /** The same event once more, now, on a healthy and on a failing endpoint alike. */
    resend(
      transact: Transact,
      scope: WebhookScope,
      endpointId: string,
      deliveryId: string,
    ): Promise<Delivery> {
      return transact(async ({ sql, afterCommit }) => {
        const { organizationId } = scope;
        const { id } = await lockActive(sql, scope, endpointId);
        const deliveries = deliveriesIn(sql);
        const own = { organizationId, endpointId };
        const isQueued = await deliveries.resend(own, deliveryId);
        const delivery = await deliveries.find(own, deliveryId);
        if (!delivery) throw notFound(NO_SUCH_DELIVERY);
        if (!isQueued) throw conflict('An attempt of this delivery is under way');
        afterCommit(() => deps.notifyRecovery({ organizationId, endpointId: id }));
        return delivery;
      });
    },

    /** Everything of the span in those states once more, through the paced drain; answers with how many. */
    replay(
      transact: Transact,
      scope: WebhookScope,
      endpointId: string,
      asked: ReplayRequest,
    ): Promise<number> {
      const { since, until = END_OF_TIME } = asked;
      if (until <= since) throw invalid('until must be later than since');
      return transact(async ({ sql, afterCommit }) => {
        const { organizationId } = scope;
        const { id } = await lockActive(sql, scope, endpointId);
        const queued = await deliveriesIn(sql).replay(
          { organizationId, endpointId },
          { firstId: firstIdAt(inEpoch(since)), endId: firstIdAt(inEpoch(until)), states: asked.states },
        );
        if (queued > 0) {
          await endpointsIn(sql).drainIfClosed(id);
          afterCommit(() => deps.notifyRecovery({ organizationId, endpointId: id }));
        }
        return queued;
      });
    },

    /** One `webhook.test`, at once and once, also to a disabled endpoint. */
    async test(transact: Transact, scope: WebhookScope, endpointId: string): Promise<AttemptResult> {
      const target = await transact(({ sql }) => webhooksIn(sql).findTarget(scope, endpointId));
      if (!target) throw notFound(NO_SUCH_WEBHOOK);
      const owner = { organizationId: scope.organizationId, rowId: target.id };
      const secrets = [target.secret, target.previousSecret].filter((sealed) => sealed !== null);
      return deps.send({
        url: target.url,
        eventId: randomUUID(),
        body: serializeEvent({
          type: 'webhook.test',
          timestamp: now(),
          data: { note: 'A test, asked for through the API' },
        }),
        secrets: secrets.map((sealed) => secretBox.open(sealed, owner)),
      });
    },

    /** A new secret; the old one signs along for the overlap. The secret comes back only when it was made here. */
    async rotateSecret(
      transact: Transact,
      scope: WebhookScope,
      endpointId: string,
      given: string | undefined,
    ): Promise<{ secret?: string; previousValidUntil: Date | null }> {
      const fault = given === undefined ? null : secretFault(given);
      if (fault !== null) throw invalid(`secret ${fault}`);
      const secret = given ?? `whsec_${randomBytes(32).toString('base64')}`;
      const until = new Date(now().getTime() + deps.secretGracePeriodMs);
      return transact(async ({ sql }) => {
        await webhooksIn(sql).lock(scope, endpointId);
        const webhook = await webhooksIn(sql).findTarget(scope, endpointId);
        if (!webhook) throw notFound(NO_SUCH_WEBHOOK);
        const owner = { organizationId: scope.organizationId, rowId: webhook.id };
        // Asked for once more, after an answer that was lost: the old one keeps its time.
        if (webhook.secret && given !== undefined && isSealed(webhook.secret, given, owner))
          return { previousValidUntil: webhook.previousSecretUntil };
        const hadOne = await webhooksIn(sql).rotateSecret(
          scope,
          webhook.id,
          secretBox.seal(secret, owner),
          until,
        );
        return { ...(given === undefined && { secret }), previousValidUntil: hadOne ? until : null };
      });
    },
  };
}
