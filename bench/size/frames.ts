/** Acknowledgements of frames while another organization applies a profile to all its devices. */
import { query } from '../../src/db/query.ts';
import type { Fleet } from '../support/fleet.ts';
import { createLoggers, type Loggers } from '../support/loggers.ts';
import { percentile } from '../support/percentile.ts';
import { toSerial } from '../support/serials.ts';
import { round } from '../support/table.ts';
import { fleetOf, type Line, printLines, type SizeBench } from './size-bench.ts';

const PER_SECOND = 500;
const DEVICES = 10_000;
const WARM_UP_SECONDS = 25;
const QUIET_SECONDS = 15;
const ROUNDS_APART = 40;
const SLOWER_MAX = 2;
const INTERVALS = { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 3_600 };
/** Limits by number of devices: seconds until the answer and the offer, and the memory of the API. */
const BARS = [
  { devices: 100_000, answeredSeconds: 2, offeredSeconds: 4, mb: 400 },
  { devices: 1_000_000, answeredSeconds: 20, offeredSeconds: 40, mb: 600 },
];

export async function benchFrames(bench: SizeBench): Promise<void> {
  await bench.stack.runGateway(bench.coapPort);
  const { deviceToken } = fleetOf(bench, 2);
  const loggers = await createLoggers({ port: bench.coapPort, token: deviceToken, toSerial });
  // The first frames of a device read uncached data.
  await p99(loggers, WARM_UP_SECONDS, 0);
  const quiet = await p99(loggers, QUIET_SECONDS, ROUNDS_APART);
  process.stderr.write(`quiet: ACK p99 ${quiet} ms\n`);
  const measure = async (fleet: Fleet, devices: number, firstRound: number) =>
    printLines(
      `Apply to ${devices} beside ${PER_SECOND} frames/s`,
      await measureApply(bench, loggers, { fleet, devices, quiet, firstRound }),
    );
  await measure(fleetOf(bench, 3), bench.devices / 10, ROUNDS_APART * 2);
  const largest = await bench.findOrAddLargest();
  // Writing out the rows that were just inserted, and sweeping them, is not part of the apply.
  await bench.stack.sql.raw('checkpoint');
  await p99(loggers, WARM_UP_SECONDS, ROUNDS_APART * 3);
  await measure(largest, bench.devices, ROUNDS_APART * 4);
  loggers.close();
}

interface Apply {
  fleet: Fleet;
  devices: number;
  quiet: number;
  firstRound: number;
}

async function measureApply(
  bench: SizeBench,
  loggers: Loggers,
  { fleet, devices, quiet, firstRound }: Apply,
): Promise<Line[]> {
  const bar = BARS.find((each) => devices <= each.devices) ?? (BARS[1] as (typeof BARS)[number]);
  const sending = p99(loggers, bar.offeredSeconds + 5, firstRound);
  const startedAt = performance.now();
  const seconds = () => round((performance.now() - startedAt) / 1000, 1);
  await apply(bench, fleet);
  const answered = seconds();
  await untilOffered(bench, fleet);
  const offered = seconds();
  return [
    { what: 'answered', value: answered, unit: 's', max: bar.answeredSeconds },
    { what: 'all offered', value: offered, unit: 's', max: bar.offeredSeconds },
    { what: 'API peak', value: bench.stack.apiPeakMb(), unit: 'MB', max: bar.mb },
    { what: 'ACK p99 of others', value: await sending, unit: 'ms', max: round(quiet * SLOWER_MAX, 1) },
  ];
}

async function p99(loggers: Loggers, seconds: number, firstRound: number): Promise<number> {
  const { latenciesMs } = await loggers.openLoop(PER_SECOND, {
    devices: DEVICES,
    seconds,
    round: firstRound,
  });
  return percentile(latenciesMs, 0.99);
}

async function apply({ stack }: SizeBench, { apiKey }: Fleet): Promise<void> {
  const send = (method: string, path: string, body: object) =>
    fetch(stack.apiUrl + path, {
      method,
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    });
  const slug = `intervals-${Date.now()}`;
  await send('POST', '/devices/config-profiles', { slug, intervals: INTERVALS });
  const { status } = await send('PUT', `/devices/config-profiles/${slug}/apply`, { applyToAll: true });
  if (status !== 200) throw new Error(`apply answered ${status}`);
}

async function untilOffered({ stack }: SizeBench, { organizationId }: Fleet): Promise<void> {
  for (;;) {
    const queued = await query(
      stack.sql,
      `select 1 from config_targets where organization_id = ? and state = 'queued' limit 1`,
      [organizationId],
    );
    if (queued.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
