/** Shared by the benches of deliveries: the stack with a receiver, and events at a steady rate. */
import { freePort } from '../../dev/embedded/free-port.ts';
import type { OnStop } from '../../dev/embedded/run-and-stop.ts';
import { type BenchStack, startStack } from '../support/stack.ts';
import type { Publisher } from '../support/webhook-load.ts';

export interface DeliveryBench {
  stack: BenchStack;
  sinkUrl: string;
}

export async function startDeliveryBench(onStop: OnStop): Promise<DeliveryBench> {
  const stack = await startStack(onStop, { WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8' });
  const port = await freePort();
  await stack.runServer('bench/sink.ts', port);
  return { stack, sinkUrl: `http://127.0.0.1:${port}` };
}

interface SinkStats {
  count: number;
  p50: number;
  p95: number;
  p99: number;
  perSecond: Array<[number, number]>;
}

/** Since the previous call. */
export const statsOf = async (sinkUrl: string): Promise<SinkStats> =>
  (await (await fetch(`${sinkUrl}/stats`)).json()) as SinkStats;

/** Publishes for the organizations in turn. */
export async function publishAt(
  { publish }: Publisher,
  { perSecond, seconds }: { perSecond: number; seconds: number },
  organizationIds: string[],
): Promise<void> {
  const startedAt = performance.now();
  const publishing: Array<Promise<void>> = [];
  for (let index = 0; index < perSecond * seconds; index++) {
    const dueInMs = startedAt + (index * 1000) / perSecond - performance.now();
    if (dueInMs > 0) await new Promise((resolve) => setTimeout(resolve, dueInMs));
    publishing.push(publish(organizationIds[index % organizationIds.length] as string));
  }
  await Promise.all(publishing);
}
