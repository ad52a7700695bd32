/**
 * The throughput of two of a process relative to one: on one machine, a second process should cost nothing.
 */
import { randomInt } from 'node:crypto';
import { load } from '../support/load.ts';
import { createLoggers } from '../support/loggers.ts';
import { SERIAL_SQL, toSerial } from '../support/serials.ts';
import { printTable, round } from '../support/table.ts';
import { addEndpoints, deliverAll } from '../support/webhook-load.ts';
import type { ProcessBench } from './process-bench.ts';

const DEVICES = 2_000;
const REQUESTS = { connections: 32, seconds: Number(process.env.PROCESSES_SECONDS ?? 10) };
const FRAMES = { warmUp: 4_000, measured: 20_000, underWay: 256 };
const EVENTS = { warmUp: 3_000, measured: 20_000, endpoints: 10 };
const BAR = 0.9;

export async function benchThroughput(bench: ProcessBench): Promise<void> {
  const rows = [];
  for (const [what, kind, measure] of [
    ['requests/s', 'api', measureRequests],
    ['frames/s', 'gateway', measureFrames],
    ['deliveries/s', 'worker', measureDeliveries],
  ] as const) {
    await bench.runOnly(`${kind}-1`);
    const one = await measure(bench, [`${kind}-1`]);
    await bench.runOnly(`${kind}-1`, `${kind}-2`);
    const two = await measure(bench, [`${kind}-1`, `${kind}-2`]);
    rows.push([what, kind, Math.round(one), Math.round(two), round(two / one, 2), BAR]);
  }
  printTable(
    'Two of each process relative to one, everything on this machine',
    ['', 'process', 'one', 'two', 'relative', 'bar'],
    rows,
  );
}

/** Closed loop; each process gets an equal share of the connections. */
async function measureRequests(bench: ProcessBench, names: string[]): Promise<number> {
  const fleet = await bench.addFleet(DEVICES);
  const results = await Promise.all(
    names.map((name) =>
      load({
        url: `http://127.0.0.1:${bench.process(name).port}`,
        connections: REQUESTS.connections / names.length,
        seconds: REQUESTS.seconds,
        headers: { authorization: `Bearer ${fleet.apiKey}` },
        paths: ['/devices/DEV-1/config', '/assets?limit=50', '/devices/config-profiles'],
      }),
    ),
  );
  if (results.some(({ errors }) => errors > 0)) throw new Error('requests failed');
  return sum(results.map(({ perSecond }) => perSecond));
}

/** Each gateway has its own loggers. */
async function measureFrames(bench: ProcessBench, names: string[]): Promise<number> {
  const first = randomInt(1, 1_000) * DEVICES;
  const fleet = await bench.addFleet(DEVICES, { serialSql: SERIAL_SQL, first });
  const share = DEVICES / names.length;
  const groups = await Promise.all(
    names.map((name, index) =>
      createLoggers({
        port: bench.process(name).coapPort,
        token: fleet.deviceToken,
        toSerial: (device) => toSerial(first + index * share + device - 1),
      }),
    ),
  );
  const run = async (frames: number, startRound: number) => {
    const underWay = FRAMES.underWay / names.length;
    const results = await Promise.all(
      groups.map((loggers) =>
        loggers.closedLoop(frames / names.length, { devices: share, underWay, round: startRound }),
      ),
    );
    if (results.some(({ lost, refused }) => lost + refused > 0))
      throw new Error('frames were lost or refused');
    return frames / Math.max(...results.map(({ seconds }) => seconds));
  };
  await run(FRAMES.warmUp, 0);
  const perSecond = await run(FRAMES.measured, FRAMES.warmUp / DEVICES);
  for (const loggers of groups) loggers.close();
  return perSecond;
}

async function measureDeliveries({ sql, sinkUrl }: ProcessBench): Promise<number> {
  const ids = await addEndpoints(sql, EVENTS.endpoints, `${sinkUrl}/hook`);
  await deliverAll(sql, ids, EVENTS.warmUp);
  return deliverAll(sql, ids, EVENTS.measured);
}

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
