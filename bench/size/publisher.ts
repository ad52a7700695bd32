/** Publishes events at a steady rate to an endpoint of a new organization, and reads their arrival times. */
import { setTimeout as delay } from 'node:timers/promises';
import type { DomainEvent, EventTypes } from '../../src/db/domain-event.ts';
import { createGroupCommit } from '../../src/db/group-commit.ts';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { notifyQueued } from '../../src/deliveries/delivery-notifications.repository.ts';
import { createOutboxRepository } from '../../src/deliveries/outbox.repository.ts';
import { createPublishEvents } from '../../src/events/events.service.ts';
import type { SizeBench } from './size-bench.ts';

const TYPE = 'config.applied';
const PER_SECOND = 200;

/** The sink reads the time of publication from it. */
const timedData = () =>
  ({ sentAt: performance.timeOrigin + performance.now() }) as unknown as EventTypes[typeof TYPE];

export async function createSteadyPublisher({ stack, sinkUrl }: SizeBench) {
  const { organizationId } = await stack.addFleet(1);
  await query(
    stack.sql,
    `insert into endpoints (organization_id, collection, name, url, status, events)
     values (?, 'event', 'healthy', ?, 'active', ?)`,
    [organizationId, `${sinkUrl}/hook`, [TYPE]],
  );
  const transact = createTransact(stack.sql);
  const publish = createPublishEvents({
    deliveriesIn: createOutboxRepository,
    onQueued: (endpoints) => void notifyQueued(stack.sql, endpoints),
  });
  const group = createGroupCommit<DomainEvent, void>({
    commit: (events) => transact((tx) => publish(tx, events)).then(() => events.map(() => undefined)),
    maxItems: 500,
    concurrency: 2,
  });
  const publishOne = () =>
    group.submit({ organizationId, type: TYPE, timestamp: new Date(), data: timedData() });

  async function publishUntil(isOver: () => boolean): Promise<number> {
    const startedAt = performance.now();
    const publishing: Array<Promise<void>> = [];
    while (!isOver()) {
      const dueInMs = startedAt + (publishing.length * 1000) / PER_SECOND - performance.now();
      if (dueInMs > 0) await delay(dueInMs);
      publishing.push(publishOne());
    }
    await Promise.all(publishing);
    return publishing.length;
  }

  /** p95 in milliseconds of events that are published during the work. */
  async function p95During(work: () => Promise<unknown>): Promise<number> {
    await readStats();
    let isOver = false;
    const done = work().finally(() => {
      isOver = true;
    });
    const published = await publishUntil(() => isOver);
    await done;
    const stats = await untilCame(published);
    return stats.p95;
  }

  const readStats = async () =>
    (await (await fetch(`${sinkUrl}/stats`)).json()) as { count: number; p95: number };

  /** Reading the statistics resets them: the last ones belong to the stragglers. */
  async function untilCame(published: number): Promise<{ p95: number }> {
    await delay(2_000);
    const stats = await readStats();
    if (stats.count < published)
      throw new Error(`${stats.count} of ${published} webhooks came within two seconds`);
    return stats;
  }

  return { p95During };
}
