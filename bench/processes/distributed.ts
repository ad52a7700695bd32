/**
 * The cost of limiting each statement to one organization (DATABASE_DISTRIBUTED=true) without its benefit: on
 * one PostgreSQL, with one process of each kind.
 */
import { randomInt } from 'node:crypto';
import type { Fleet } from '../support/fleet.ts';
import { createLoggers } from '../support/loggers.ts';
import { SERIAL_SQL, toSerial } from '../support/serials.ts';
import { type Cell, printTable, round } from '../support/table.ts';
import { addEndpoints, deliverAll } from '../support/webhook-load.ts';
import type { ProcessBench } from './process-bench.ts';

const ORGANIZATIONS = 10;
const DEVICES_EACH = 500;
const DEVICES = ORGANIZATIONS * DEVICES_EACH;
const FRAMES = { warmUp: 5_000, measured: 20_000, underWay: 256 };
const EVENTS = { warmUp: 3_000, measured: 20_000 };
const BAR = 0.8;
/** Alternating, since the speed of a machine varies from minute to minute. */
const MODES = [false, true, false, true];

export async function benchDistributed(bench: ProcessBench): Promise<void> {
  const measured: Array<{ isDistributed: boolean; frames: number; deliveries: number }> = [];
  for (const isDistributed of MODES) {
    await bench.runOnly();
    bench.set({ DATABASE_DISTRIBUTED: String(isDistributed) });
    await bench.runOnly('gateway-1', 'worker-1');
    measured.push({
      isDistributed,
      frames: await measureFrames(bench),
      deliveries: await measureDeliveries(bench),
    });
  }
  await bench.runOnly();
  bench.set({ DATABASE_DISTRIBUTED: undefined });
  const compare = (what: 'frames' | 'deliveries'): Cell[] => {
    const [all = 0, single = 0] = [false, true].map((mode) =>
      mean(measured.filter(({ isDistributed }) => isDistributed === mode).map((one) => one[what])),
    );
    return [`${what}/s`, Math.round(all), Math.round(single), round(single / all, 2), BAR];
  };
  printTable(
    `${ORGANIZATIONS} organizations: statements of one organization each, relative to those of all together`,
    ['', 'together', 'one each', 'relative', 'bar'],
    [compare('frames'), compare('deliveries')],
  );
}

/** Neighbours belong to different organizations. */
async function measureFrames(bench: ProcessBench): Promise<number> {
  const first = randomInt(1_000, 2_000) * DEVICES;
  const fleets: Fleet[] = [];
  for (let index = 0; index < ORGANIZATIONS; index++)
    fleets.push(
      await bench.addFleet(DEVICES_EACH, { serialSql: SERIAL_SQL, first: first + index * DEVICES_EACH }),
    );
  const placeOf = (device: number) =>
    ((device - 1) % ORGANIZATIONS) * DEVICES_EACH + Math.floor((device - 1) / ORGANIZATIONS);
  const loggers = await createLoggers({
    port: bench.process('gateway-1').coapPort,
    token: (device) => fleets[(device - 1) % ORGANIZATIONS]?.deviceToken ?? '',
    toSerial: (device) => toSerial(first + placeOf(device)),
  });
  const run = (frames: number, startRound: number) =>
    loggers.closedLoop(frames, { devices: DEVICES, underWay: FRAMES.underWay, round: startRound });
  await run(FRAMES.warmUp, 0);
  const { seconds, lost, refused } = await run(FRAMES.measured, FRAMES.warmUp / DEVICES);
  loggers.close();
  if (lost + refused > 0) throw new Error(`${lost} frames were lost, ${refused} refused`);
  return FRAMES.measured / seconds;
}

async function measureDeliveries({ sql, sinkUrl }: ProcessBench): Promise<number> {
  const ids = await addEndpoints(sql, ORGANIZATIONS, `${sinkUrl}/hook`);
  await deliverAll(sql, ids, EVENTS.warmUp);
  return deliverAll(sql, ids, EVENTS.measured);
}

const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
