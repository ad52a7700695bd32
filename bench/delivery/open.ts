/** The latency of an event below saturation, at steady rates. */
import { type Cell, printTable, round } from '../support/table.ts';
import { addEndpoints, createPublisher, untilDelivered } from '../support/webhook-load.ts';
import { type DeliveryBench, publishAt, statsOf } from './delivery-bench.ts';

const ENDPOINTS = 10;
const SECONDS = 12;
const SETTLE_SECONDS = 2;
const WARM_UP = { perSecond: 500, seconds: 4 };
const RATES = [20, 50, 200, 500, 1_000];

export async function benchOpen({ stack, sinkUrl }: DeliveryBench): Promise<void> {
  const organizationIds = await addEndpoints(stack.sql, ENDPOINTS, `${sinkUrl}/hook`);
  const publisher = createPublisher(stack.sql);
  await publishAt(publisher, WARM_UP, organizationIds);
  const rows: Cell[][] = [];
  for (const perSecond of RATES) {
    await publishAt(publisher, { perSecond, seconds: SETTLE_SECONDS }, organizationIds);
    await untilDelivered(stack.sql);
    await statsOf(sinkUrl);
    await publishAt(publisher, { perSecond, seconds: SECONDS }, organizationIds);
    await untilDelivered(stack.sql);
    const { count, p50, p95, p99 } = await statsOf(sinkUrl);
    if (count !== perSecond * SECONDS) throw new Error(`${count} came at ${perSecond}/s`);
    rows.push([perSecond, count, round(p50, 2), round(p95, 2), round(p99, 2)]);
  }
  printTable(
    `Open loop, ${ENDPOINTS} endpoints, from before the commit to the receipt, after ${WARM_UP.seconds} s of warm-up`,
    ['events/s', 'deliveries', 'p50 ms', 'p95 ms', 'p99 ms'],
    rows,
  );
}
