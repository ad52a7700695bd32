/** One reading a request over HTTP, stored, and received as a webhook, as fast as it goes. */
import autocannon from 'autocannon';
import { keepFigures } from '../support/figures.ts';
import type { Fleet } from '../support/fleet.ts';
import { SERIAL_SQL } from '../support/serials.ts';
import { type Cell, printTable } from '../support/table.ts';
import type { DeviceBench } from './device-bench.ts';
import { CPU_HEADINGS, cpuPer1000, nextRequest, readCpu, SENDING_DEVICES } from './end-to-end.ts';
import { readReceived, subscribe, untilDelivered } from './webhooks.ts';

const CONNECTIONS = 100;
const SECONDS = 10;
/** More than one request of each device: the first one of a device costs more. */
const WARM_UP_REQUESTS = SENDING_DEVICES * 1.2;
const RUNS = 2;

/** DISTURBED_DISK: if set, heavy disk work ends right before, and only one run is measured. */
export async function benchSaturated(bench: DeviceBench): Promise<void> {
  const fleet = await bench.stack.addFleet(SENDING_DEVICES, { serialSql: SERIAL_SQL });
  await subscribe(bench, fleet, '/readings');
  await measure(bench, fleet, { amount: WARM_UP_REQUESTS });
  const runs = process.env.DISTURBED_DISK === undefined ? RUNS : 1;
  const rows: Cell[][] = [];
  for (let run = 1; run <= runs; run++) {
    if (process.env.DISTURBED_DISK) await bench.stack.disturbDisk();
    rows.push(await measure(bench, fleet, { duration: SECONDS }));
  }
  printTable(
    `HTTP in, stored, webhook received, one reading each, one endpoint, saturated, ${CONNECTIONS} connections`,
    ['requests/s', 'answer p50 ms', 'p99 ms', 'webhooks/s until all came', ...CPU_HEADINGS],
    rows,
  );
}

async function measure(
  bench: DeviceBench,
  fleet: Fleet,
  span: { amount: number } | { duration: number },
): Promise<Cell[]> {
  await untilDelivered(bench);
  await readReceived(bench);
  const cpuBefore = readCpu(bench);
  const startedAt = performance.now();
  const result = await autocannon({
    url: bench.stack.apiUrl,
    connections: CONNECTIONS,
    ...span,
    requests: [{ setupRequest: (each) => ({ ...each, ...nextRequest(fleet) }) }],
  });
  await untilDelivered(bench);
  const seconds = (performance.now() - startedAt) / 1000;
  const { non2xx, errors, timeouts, requests, latency } = result;
  if (non2xx + errors + timeouts > 0) throw new Error(`${non2xx} refused, ${errors + timeouts} failed`);
  const { count } = await readReceived(bench);
  const cpu = cpuPer1000(bench, cpuBefore, count);
  const perSecond = Math.round(count / seconds);
  keepFigures({
    'saturated.perSecond': perSecond,
    'saturated.cpuPer1000': cpu[0] ?? 0,
    'saturated.p99': latency.p99,
  });
  return [Math.round(requests.average), latency.p50, latency.p99, perSecond, ...cpu];
}
