/**
 * The operations of customers on deliveries: resend one, replay a span, test an endpoint, rotate its secret.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Database } from '../db/database.ts';
import type { Transact } from '../db/transaction.ts';
import type { BreakerRepository } from '../endpoints/breaker.repository.ts';
import {
  ENABLE_FIRST,
  type Endpoint,
  type EndpointRef,
  endpointKey,
  NO_SUCH_ENDPOINT,
} from '../endpoints/endpoint.ts';
import { BASE64_SECRET_PREFIX, openSecrets, secretFault } from '../endpoints/endpoint-secret.ts';
import type { EndpointScope, EndpointsRepository } from '../endpoints/endpoints.repository.ts';
import type { SecretBox } from '../endpoints/secret-box.ts';
import { serializeEvent } from '../events/event.ts';
import { conflict, invalid, orNotFound } from '../process/errors.ts';
import type { KeyedSemaphore } from '../process/keyed-semaphore.ts';
import { firstIdAt } from '../process/uuid.ts';
import { describeTest, refuseWithoutTurn } from './attempt-error.ts';
import type { BacklogRepository } from './backlog.repository.ts';
import type { DeliveriesRepository } from './deliveries.repository.ts';
import { type AttemptResult, type Delivery, NO_SUCH_DELIVERY, type Replay } from './delivery.ts';
import type { OutgoingRequest } from './sender.service.ts';

declare module '../db/domain-event.ts' {
  interface EventTypes {
    'webhook.test': { note: string };
  }
}

interface DeliveriesServiceDeps {
  endpointsIn(sql: Database): EndpointsRepository;
  deliveriesIn(sql: Database): Pick<DeliveriesRepository, 'find' | 'resend' | 'announceChange'>;
  backlogIn(sql: Database): Pick<BacklogRepository, 'requestReplay'>;
  breakersIn(sql: Database): Pick<BreakerRepository, 'drainIfClosed'>;
  secretBox: SecretBox;
  send(outgoing: OutgoingRequest): Promise<AttemptResult>;
  /** Limits the requests in flight to one endpoint, of all callers in this process. */
  requests: KeyedSemaphore;
  /** How long the previous secret keeps signing beside the new one. */
  secretGracePeriodMs: number;
  now(): Date;
  /** Called when the endpoint's workflow has something to do. */
  notifyRecovery(endpoint: EndpointRef): void;
}

interface RotatedSecret {
  /** Only if it was generated here. */
  secret?: string;
  previousValidUntil: Date | null;
}

/** Each attempt of a delivery is a row, and customers may ask for any number. */
const ATTEMPTS_MAX = 1_000;

export type DeliveriesService = ReturnType<typeof createDeliveriesService>;

export function createDeliveriesService(deps: DeliveriesServiceDeps) {
  const { endpointsIn, deliveriesIn, backlogIn, breakersIn, secretBox, now } = deps;

  async function lockActive(sql: Database, scope: EndpointScope, id: string): Promise<EndpointRef> {
    const endpoint: Endpoint = orNotFound(await endpointsIn(sql).lock(scope, id), NO_SUCH_ENDPOINT);
    if (endpoint.status !== 'active') throw conflict(ENABLE_FIRST);
    return { organizationId: scope.organizationId, endpointId: endpoint.id };
  }

  return {
    /** Sends the same event again at once, even if the endpoint is failing. */
    resend(
      transact: Transact,
      scope: EndpointScope,
      endpointId: string,
      deliveryId: string,
    ): Promise<Delivery> {
      return transact(async ({ sql, afterCommit }) => {
        const endpoint = await lockActive(sql, scope, endpointId);
        const isQueued = await deliveriesIn(sql).resend(endpoint, deliveryId);
        const delivery = orNotFound(await deliveriesIn(sql).find(endpoint, deliveryId), NO_SUCH_DELIVERY);
        if (delivery.attemptCount >= ATTEMPTS_MAX)
          throw conflict('This delivery was attempted 1,000 times: it is not sent again');
        if (!isQueued) throw conflict('An attempt of this delivery is under way');
        afterCommit(() => deps.notifyRecovery(endpoint));
        return delivery;
      });
    },

    /**
     * Replays the deliveries of a span in the given states, as a backlog that is drained at a growing pace.
     * Returns their number, counted up to 100,000. Writes one row: the drain queues the deliveries in parts.
     */
    replay(
      transact: Transact,
      scope: EndpointScope,
      endpointId: string,
      { since, until = END_OF_TIME, states }: Replay,
    ): Promise<number> {
      if (until <= since) throw invalid('until must be later than since');
      const span = {
        firstId: firstIdAt(since),
        endId: firstIdAt(until),
        states,
      };
      return transact(async ({ sql, afterCommit }) => {
        const endpoint = await lockActive(sql, scope, endpointId);
        const queued = await backlogIn(sql).requestReplay(endpoint, span);
        if (queued !== null) {
          await breakersIn(sql).drainIfClosed(endpoint);
          afterCommit(() => deps.notifyRecovery(endpoint));
        }
        return queued ?? 0;
      });
    },

    /** Sends one `webhook.test` at once, even to a disabled endpoint, without retries. */
    async test(transact: Transact, scope: EndpointScope, endpointId: string): Promise<AttemptResult> {
      const target = orNotFound(
        await transact(({ sql }) => endpointsIn(sql).findTarget(scope, endpointId)),
        NO_SUCH_ENDPOINT,
      );
      const { organizationId } = scope;
      const endpoint = { organizationId, endpointId: target.id };
      const data = { note: 'A test, asked for through the API' };
      const outgoing = {
        organizationId,
        url: target.url,
        eventId: randomUUID(),
        body: serializeEvent({ type: 'webhook.test', timestamp: now(), data }),
        secrets: openSecrets(secretBox, endpoint, target),
      };
      const sending = deps.requests.run(endpointKey(endpoint), () => deps.send(outgoing));
      const result = await sending.catch(refuseWithoutTurn);
      return { ...result, error: describeTest(result) };
    },

    /** Replaces the secret; the previous one keeps signing beside it for the grace period. */
    async rotateSecret(
      transact: Transact,
      scope: EndpointScope,
      endpointId: string,
      given: string | undefined,
    ): Promise<RotatedSecret> {
      const fault = given === undefined ? null : secretFault(given);
      if (fault !== null) throw invalid(`secret ${fault}`);
      const secret = given ?? generateSecret();
      const until = new Date(now().getTime() + deps.secretGracePeriodMs);
      return transact(async ({ sql }) => {
        await endpointsIn(sql).lock(scope, endpointId);
        const target = orNotFound(await endpointsIn(sql).findTarget(scope, endpointId), NO_SUCH_ENDPOINT);
        const owner = { organizationId: scope.organizationId, rowId: target.id };
        // A client repeats the request after a lost answer: the previous secret keeps its first end.
        if (given !== undefined && secretBox.contains(target.secret, given, owner))
          return { previousValidUntil: target.previousSecretUntil };
        const sealed = secretBox.seal(secret, owner);
        const hadOne = await endpointsIn(sql).rotateSecret(scope, target.id, sealed, until);
        await deliveriesIn(sql).announceChange({
          organizationId: scope.organizationId,
          endpointId: target.id,
        });
        return { ...(given === undefined && { secret }), previousValidUntil: hadOne ? until : null };
      });
    },
  };
}

const SECRET_BYTES = 32;
const generateSecret = () => BASE64_SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** Includes, in a replay without an end, deliveries written by a process with a fast clock. */
const END_OF_TIME = new Date(253_402_300_799_999);
