/**
 * Shared by the tests of deliveries: waits of milliseconds instead of hours, and a customer with endpoints
 * and events.
 */
import assert from 'node:assert/strict';
import type { DomainEvent } from '../../src/db/domain-event.ts';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import type { ClaimedDelivery } from '../../src/deliveries/claims.repository.ts';
import type { DeliveryPlan, RecordedAttempt } from '../../src/deliveries/delivery.ts';
import { createOutboxRepository, notifyQueued } from '../../src/deliveries/outbox.repository.ts';
import { EVENT_CATALOGUE } from '../../src/events/event-catalogue.schemas.ts';
import { createPublishEvents } from '../../src/events/events.service.ts';
import type { Settings } from '../../src/process/config.ts';
import { apply, applyAnswer, createProfile, eventually, FRIDGE, registerMany } from '../support/fleet.ts';
import type { TestOrganization, TestService } from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';

/**
 * Time limits that no request and no claim reaches, even on a slow machine; tests of deadlines and leases set
 * their own. A single time-out among hundreds of requests would count as a failure, and start a probe and a
 * drain.
 */
export const QUICK: Settings['webhooks'] = {
  perEndpointMax: 16,
  drainPerSecondMax: 200,
  drainTickMs: 100,
  deadlineMs: 60_000,
  connectTimeoutMs: 30_000,
  leaseSeconds: 240,
  secretGracePeriodMs: 60_000,
  retentionDays: 7,
};
export const QUICK_PLAN: Omit<DeliveryPlan, 'pollIntervalMs'> = {
  scheduleMs: [0, 100, 200, 300, 2_000, 5_000, 5_000],
  probePlan: { firstMs: 150, share: 0.1, maxMs: 500 },
  disableAfterMs: 60_000,
};
export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

export interface DeliveryItem {
  id: string;
  eventId: string;
  eventType: string;
  state: string;
  reason: string | null;
  attemptCount: number;
  nextAttemptAt: string | null;
  lastStatusCode: number | null;
  lastError: string | null;
  lastAttemptAt: string | null;
  deliveredAt: string | null;
}

export interface AttemptItem {
  number: number;
  at: string;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  responseExcerpt: string | null;
}

export interface Endpoint {
  id: string;
  path: string;
  view(): Promise<{
    status: string;
    disabledReason: string | null;
    delivery: { lastStatus: string | null };
    health: { state: string };
  }>;
  change(body: object): Promise<void>;
  /** Up to 500, newest first. */
  deliveries(): Promise<DeliveryItem[]>;
  /** The only delivery. */
  delivery(): Promise<DeliveryItem & { payload: Record<string, unknown>; attempts: AttemptItem[] }>;
  until(holds: (items: DeliveryItem[]) => boolean): Promise<DeliveryItem[]>;
  untilAll(state: string, count: number): Promise<DeliveryItem[]>;
  untilDisabled(reason: string): Promise<void>;
  test(): Promise<{
    delivered: boolean;
    statusCode: number | null;
    durationMs: number;
    error: string | null;
  }>;
  breaker(): Promise<string>;
}

export interface Customer extends TestOrganization {
  subscribe(url: string, more?: object): Promise<Endpoint>;
  subscribeCellular(url: string, more?: object): Promise<Endpoint>;
  /** Deletes its endpoints. Those of earlier tests, whose receivers are gone, would be probed beside every later test. */
  unsubscribeAll(): Promise<void>;
  /** Publishes this many `config.applied` in one transaction. */
  publish(count: number): Promise<void>;
  /** Has this many devices confirm a change, which publishes a `config.applied` for each. */
  confirmChanges(count: number): Promise<{ serials: string[]; jobId: string }>;
}

/** A successful attempt, as it is recorded. */
export const toDelivered = (claim: ClaimedDelivery): RecordedAttempt => ({
  ...claim,
  deliveryId: claim.id,
  attemptNumber: claim.attemptCount + 1,
  attemptedAt: new Date(),
  durationMs: 5,
  statusCode: 204,
  error: null,
  responseExcerpt: null,
  state: 'delivered',
  scheduleStep: 1,
  nextAttemptAt: null,
});

/** One customer for all tests of a describe block. */
export const useCustomer = (dms: TestService): Customer => useStarted(() => addCustomer(dms));

export async function addCustomer(dms: TestService): Promise<Customer> {
  const organization = await dms.addOrganization();
  const slug = await createProfile(organization, FRIDGE);
  const transact = createTransact(dms.service.sql);
  const publishEvents = createPublishEvents({
    deliveriesIn: createOutboxRepository,
    onQueued: (endpoints) => void notifyQueued(dms.service.sql, endpoints),
  });
  const paths: string[] = [];
  let batches = 0;

  async function subscribeAt(collection: string, body: object): Promise<Endpoint> {
    const created = await organization.api.post(collection, body);
    assert.equal(created.status, 201, created.text);
    const path = `${collection}/${created.body.id}`;
    paths.push(path);
    return toEndpoint(dms, organization, path, created.body.id);
  }

  return {
    ...organization,
    subscribe: (url, more = {}) => subscribeAt('/webhooks', { url, events: ['config.applied'], ...more }),
    subscribeCellular: (url, more = {}) =>
      subscribeAt('/cellular-webhooks', { url, deliverConfigApplied: true, ...more }),
    async unsubscribeAll() {
      for (const path of paths.splice(0)) await organization.api.delete(path);
    },
    publish: (count) =>
      transact((tx) =>
        publishEvents(
          tx,
          Array.from({ length: count }, () => configApplied(organization.id)),
        ),
      ),
    async confirmChanges(count) {
      const serials = await registerMany(organization, count, `LOGGER-${++batches}`);
      const jobId = await apply(organization, slug, { serialNumbers: serials });
      await Promise.all(serials.map((serial) => applyAnswer(organization, serial)));
      return { serials, jobId };
    },
  };
}

const configApplied = (organizationId: string): DomainEvent => ({
  organizationId,
  type: 'config.applied',
  timestamp: new Date(),
  data: EVENT_CATALOGUE['config.applied'].example,
});

function toEndpoint(
  dms: TestService,
  { id: organizationId, api }: TestOrganization,
  path: string,
  id: string,
): Endpoint {
  const deliveries = async () => (await api.get(`${path}/deliveries?limit=500`)).body.items as DeliveryItem[];
  const until: Endpoint['until'] = (holds) => eventually(deliveries, holds);
  const view = async () => (await api.get(path)).body;
  return {
    id,
    path,
    view,
    deliveries,
    until,
    async change(body) {
      const { status, text } = await api.patch(path, body);
      assert.equal(status, 200, text);
    },
    async delivery() {
      const [only, ...others] = await deliveries();
      assert.deepEqual(others, []);
      return (await api.get(`${path}/deliveries/${only?.id}`)).body;
    },
    untilAll: (state, count) =>
      until((items) => items.length === count && items.every((each) => each.state === state)),
    async untilDisabled(reason) {
      await eventually(view, ({ disabledReason }) => disabledReason === reason);
    },
    async test() {
      const { status, body, text } = await api.post(`${path}/test`);
      assert.equal(status, 200, text);
      return body;
    },
    async breaker() {
      const rows = await query<{ breaker: string }>(
        dms.service.sql,
        'select breaker from endpoints where organization_id = ? and id = ?',
        [organizationId, id],
      );
      return rows[0]?.breaker ?? 'deleted';
    },
  };
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
