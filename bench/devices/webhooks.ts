/** Webhooks of the bench: subscribing the sink, and counting its requests. */
import { setTimeout as delay } from 'node:timers/promises';
import { query } from '../../src/db/query.ts';
import type { Fleet } from '../support/fleet.ts';
import type { DeviceBench } from './device-bench.ts';

export interface Received {
  count: number;
  p50: number;
  p95: number;
  p99: number;
}

export async function subscribe(
  { stack, sinkUrl }: DeviceBench,
  { organizationId }: Fleet,
  path = '/hook',
): Promise<void> {
  await query(
    stack.sql,
    `insert into endpoints (organization_id, collection, name, url, status, events)
     values (?, 'cellular', 'bench', ?, 'active', array['data.measurement'])`,
    [organizationId, sinkUrl + path],
  );
}

export async function untilDelivered({ stack }: DeviceBench): Promise<void> {
  for (;;) {
    const [row] = await query<{ count: number }>(
      stack.sql,
      `select count(*) from deliveries where state in ('pending', 'sending', 'retrying')`,
    );
    if (row?.count === 0) return;
    await delay(50);
  }
}

/** Since the previous call. */
export async function readReceived({ sinkUrl }: DeviceBench): Promise<Received> {
  return (await (await fetch(`${sinkUrl}/stats`)).json()) as Received;
}
