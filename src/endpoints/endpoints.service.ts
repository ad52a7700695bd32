import type { Database } from '../db/database.ts';
import type { Transact } from '../db/transaction.ts';
import { conflict, invalid, notFound, orNotFound } from '../process/errors.ts';
import type { Log } from '../process/log.ts';
import type { BreakerRepository } from './breaker.repository.ts';
import {
  type ChangeEndpoint,
  type CreateEndpoint,
  changedEndpoint,
  ENABLE_FIRST,
  ENDPOINTS_MAX,
  type Endpoint,
  type EndpointRef,
  NO_SUCH_ENDPOINT,
  newEndpoint,
} from './endpoint.ts';
import { endpointUrlFault } from './endpoint-url.ts';
import type { EndpointScope, EndpointsRepository } from './endpoints.repository.ts';
import type { SecretBox } from './secret-box.ts';

/** The deliveries of an endpoint, in the transaction that changes it. */
interface EndpointDeliveries {
  hasQueued(endpoint: EndpointRef): Promise<boolean>;
  /** Makes dispatchers release their claims for the endpoint, and claim again. */
  announceChange(endpoint: EndpointRef): Promise<void>;
}

export interface EndpointsServiceDeps {
  endpointsIn(sql: Database): EndpointsRepository;
  deliveriesIn(sql: Database): EndpointDeliveries;
  breakersIn(sql: Database): Pick<BreakerRepository, 'restore' | 'probeNow' | 'retryNow'>;
  /** Called when the endpoint's workflow has something to do. */
  notifyRecovery(endpoint: EndpointRef): void;
  secretBox: SecretBox;
  /** CIDR ranges that are allowed although they are not public. */
  allowedRanges: readonly string[];
  log: Log;
}

export type EndpointsService = ReturnType<typeof createEndpointsService>;

export function createEndpointsService(deps: EndpointsServiceDeps) {
  const { endpointsIn, deliveriesIn, breakersIn, allowedRanges } = deps;

  function checkUrl(url: string): void {
    const fault = endpointUrlFault(url, allowedRanges);
    if (fault !== null) throw invalid(`url ${fault}`);
  }

  return {
    /** Adds an endpoint; 409 when the collection is full, even with concurrent additions. */
    async add(transact: Transact, scope: EndpointScope, request: CreateEndpoint): Promise<Endpoint> {
      checkUrl(request.url);
      return transact(async ({ sql }) => {
        const endpoints = endpointsIn(sql);
        await endpoints.lockCollection(scope);
        if ((await endpoints.count(scope)) >= ENDPOINTS_MAX) throw conflict(COLLECTION_FULL);
        const id = await endpoints.nextId();
        const secret = seal(toRef(scope, id), request.secret ?? null);
        return endpoints.insert(scope, { id, secret, ...newEndpoint(request) });
      });
    },

    /** Absent fields stay; `secret: null` removes the secret. */
    async change(
      transact: Transact,
      scope: EndpointScope,
      id: string,
      change: ChangeEndpoint,
    ): Promise<Endpoint> {
      if (change.url !== undefined) checkUrl(change.url);
      return transact(async ({ sql, afterCommit }) => {
        const endpoints = endpointsIn(sql);
        const before = orNotFound(await endpoints.lock(scope, id), NO_SUCH_ENDPOINT);
        const ref = toRef(scope, before.id);
        if (change.secret !== undefined) await changeSecret(endpoints, scope, ref, change.secret);
        const after = await endpoints.update(scope, id, changedEndpoint(before, change));
        await deliveriesIn(sql).announceChange(ref);
        if (before.status !== after.status) afterCommit(() => logStatus(after));
        if (await updateBreaker(sql, ref, before, after)) afterCommit(() => deps.notifyRecovery(ref));
        return after;
      });
    },

    /** Probes at once while its breaker is open; otherwise sends all that waits for a retry. */
    retryNow(transact: Transact, scope: EndpointScope, id: string): Promise<Endpoint> {
      return transact(async ({ sql, afterCommit }) => {
        const endpoint = orNotFound(await endpointsIn(sql).lock(scope, id), NO_SUCH_ENDPOINT);
        if (endpoint.status !== 'active') throw conflict(ENABLE_FIRST);
        const ref = toRef(scope, endpoint.id);
        await breakersIn(sql).retryNow(ref);
        afterCommit(() => deps.notifyRecovery(ref));
        return (await endpointsIn(sql).find(scope, endpoint.id)) as Endpoint;
      });
    },

    /** From now on, nothing is sent to it; the worker cancels its queue. */
    remove(transact: Transact, scope: EndpointScope, id: string): Promise<void> {
      return transact(async ({ sql }) => {
        const removedId = await endpointsIn(sql).remove(scope, id);
        if (removedId === null) throw notFound(NO_SUCH_ENDPOINT);
        const ref = toRef(scope, removedId);
        await deliveriesIn(sql).announceChange(ref);
      });
    },
  };

  /**
   * Enabling drains held deliveries, and a new URL is probed at once. Returns whether the endpoint's workflow
   * has something to do. Queued rows stay untouched, because whether they are held follows from the status.
   */
  async function updateBreaker(
    sql: Database,
    ref: EndpointRef,
    before: Endpoint,
    after: Endpoint,
  ): Promise<boolean> {
    if (after.status === 'disabled') return false;
    if (before.status === 'disabled') {
      const hasBacklog = await deliveriesIn(sql).hasQueued(ref);
      await breakersIn(sql).restore(ref, hasBacklog);
      return hasBacklog;
    }
    if (before.url === after.url) return false;
    await breakersIn(sql).probeNow(ref);
    return true;
  }

  function logStatus({ id, status, disabledReason }: Endpoint): void {
    const event = status === 'active' ? 'webhook.enabled' : 'webhook.disabled';
    deps.log.info({ endpointId: id, reason: disabledReason }, event);
  }

  /** The secret that it has already changes nothing: the one before it keeps signing to its end. */
  async function changeSecret(
    endpoints: EndpointsRepository,
    scope: EndpointScope,
    ref: EndpointRef,
    secret: string | null,
  ): Promise<void> {
    const target = await endpoints.findTarget(scope, ref.endpointId);
    const owner = { organizationId: ref.organizationId, rowId: ref.endpointId };
    if (secret !== null && target && deps.secretBox.contains(target.secret, secret, owner)) return;
    await endpoints.updateSecret(scope, ref.endpointId, seal(ref, secret));
  }

  function seal({ organizationId, endpointId }: EndpointRef, secret: string | null): Buffer | null {
    return secret === null ? null : deps.secretBox.seal(secret, { organizationId, rowId: endpointId });
  }
}

const COLLECTION_FULL = `There are ${ENDPOINTS_MAX} webhooks in this collection, the most it holds: delete one`;

/**
 * Uses the id as stored, which the caller may spell differently: secrets are encrypted for it, and queues are
 * found by it.
 */
const toRef = ({ organizationId }: EndpointScope, endpointId: string): EndpointRef => ({
  organizationId,
  endpointId,
});
