/** Events published as the service does, for endpoints of separate organizations. */
import { randomUUID } from 'node:crypto';
import type { Database } from '../../src/db/database.ts';
import type { DomainEvent, EventTypes } from '../../src/db/domain-event.ts';
import { createGroupCommit } from '../../src/db/group-commit.ts';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { createOutboxRepository, notifyQueued } from '../../src/deliveries/outbox.repository.ts';
import { createPublishEvents } from '../../src/events/events.service.ts';
import { createOrganizationsRepository } from '../../src/keys/organizations.repository.ts';

export interface Publisher {
  publish(organizationId: string): Promise<void>;
}

const PAYLOAD = 'x'.repeat(850);
const TYPE = 'config.applied';

export function createPublisher(sql: Database): Publisher {
  const transact = createTransact(sql);
  const publish = createPublishEvents({
    deliveriesIn: createOutboxRepository,
    onQueued: (endpoints) => void notifyQueued(sql, endpoints),
  });
  const group = createGroupCommit<DomainEvent, void>({
    commit: (events) => transact((tx) => publish(tx, events)).then(() => events.map(() => undefined)),
    maxItems: 500,
    concurrency: 2,
  });
  return {
    publish: (organizationId) =>
      group.submit({
        organizationId,
        type: TYPE,
        timestamp: new Date(),
        data: timedData(),
      }),
  };
}

/**
 * Differs from real events: the sink reads the time of publication from it, and it has the size of a common
 * event.
 */
const timedData = () =>
  ({
    sentAt: performance.timeOrigin + performance.now(),
    payload: PAYLOAD,
  }) as unknown as EventTypes[typeof TYPE];

/** Adds that many organizations with one endpoint each. Returns the ids of the organizations. */
export async function addEndpoints(sql: Database, count: number, url: string): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const { id } = await createOrganizationsRepository(sql).ensure(`receivers ${randomUUID()}`);
    await query(
      sql,
      `insert into endpoints (organization_id, collection, name, url, status, events)
       values (?, 'event', 'bench', ?, 'active', ?)`,
      [id, url, [TYPE]],
    );
    ids.push(id);
  }
  return ids;
}

const PUBLISHERS = 400;

/**
 * Publishes that many events, one organization after the other, at full speed. Returns deliveries per second.
 */
export async function deliverAll(sql: Database, organizationIds: string[], events: number): Promise<number> {
  const { publish } = createPublisher(sql);
  const startedAt = performance.now();
  let next = 0;
  const work = async () => {
    while (next < events) await publish(organizationIds[next++ % organizationIds.length] as string);
  };
  await Promise.all(Array.from({ length: PUBLISHERS }, work));
  await untilDelivered(sql);
  return (events * 1000) / (performance.now() - startedAt);
}

export async function untilDelivered(sql: Database): Promise<void> {
  while (!(await isDelivered(sql))) await new Promise((resolve) => setTimeout(resolve, 25));
}

/** Reads the index alone, so that the check costs little beside the measured work. */
function isDelivered(sql: Database): Promise<boolean> {
  return sql.transaction(async (trx) => {
    await query(trx, 'set local enable_seqscan = off');
    const [row] = await query<{ waits: boolean }>(
      trx,
      `select exists (select from deliveries where state = 'pending')
         or exists (select from deliveries where state = 'sending')
         or exists (select from deliveries where state = 'retrying') as waits`,
    );
    return row?.waits === false;
  });
}
