/** Saturated frames of the same devices in one organization and in many: a batch holds frames of one organization. */
import type { Fleet } from '../support/fleet.ts';
import { createLoggers } from '../support/loggers.ts';
import { percentile } from '../support/percentile.ts';
import { SERIAL_SQL, toSerial } from '../support/serials.ts';
import { type Cell, printTable, round } from '../support/table.ts';
import { countReadings, countTransactions, type DeviceBench } from './device-bench.ts';

const DEVICES = 10_000;
const ORGANIZATIONS = [1, 10, 1_000];
const LOAD = { frames: 20_000, warmUpFrames: 5_000, underWay: 400 };
const RUNS = 2;

export async function benchOrganizations(bench: DeviceBench): Promise<void> {
  const rows: Cell[][] = [];
  for (const [index, organizations] of ORGANIZATIONS.entries()) {
    const first = 1_000_000 + index * DEVICES;
    const fleets = await addFleets(bench, organizations, first);
    for (let run = 0; run < RUNS; run++) rows.push(await measure(bench, { fleets, first, run }));
  }
  printTable(
    `${LOAD.frames} frames of ${DEVICES} devices, ${LOAD.underWay} under way at any time`,
    [
      'organizations',
      'frames/s',
      'ACK p50 ms',
      'p99 ms',
      'lost',
      'readings stored',
      'transactions per frame',
    ],
    rows,
  );
}

async function addFleets({ stack }: DeviceBench, organizations: number, first: number): Promise<Fleet[]> {
  const each = DEVICES / organizations;
  const fleets: Fleet[] = [];
  for (let index = 0; index < organizations; index++) {
    const isVacuumed = index === organizations - 1;
    const options = { serialSql: SERIAL_SQL, first: first + index * each, isVacuumed };
    fleets.push(await stack.addFleet(each, options));
  }
  return fleets;
}

/** Sends for one device after the other, of one organization after the other. */
async function measure(
  bench: DeviceBench,
  { fleets, first, run }: { fleets: Fleet[]; first: number; run: number },
): Promise<Cell[]> {
  const each = DEVICES / fleets.length;
  /** Counted from 0; neighbours are in different organizations. */
  const placeOf = (device: number) =>
    ((device - 1) % fleets.length) * each + Math.floor((device - 1) / fleets.length);
  const loggers = await createLoggers({
    port: bench.coapPort,
    token: (device) => fleets[(device - 1) % fleets.length]?.deviceToken ?? '',
    toSerial: (device) => toSerial(first + placeOf(device)),
  });
  const { frames, warmUpFrames, underWay } = LOAD;
  await loggers.closedLoop(warmUpFrames, { devices: DEVICES, underWay, round: run * 20 });
  const readings = await countReadings(bench);
  const transactions = await countTransactions(bench);
  const result = await loggers.closedLoop(frames, { devices: DEVICES, underWay, round: run * 20 + 10 });
  const sent = result.latenciesMs.length;
  const row = [
    fleets.length,
    Math.round(sent / result.seconds),
    percentile(result.latenciesMs, 0.5),
    percentile(result.latenciesMs, 0.99),
    result.lost + result.refused,
    (await countReadings(bench)) - readings,
    round(((await countTransactions(bench)) - transactions) / sent, 2),
  ];
  loggers.close();
  return row;
}
