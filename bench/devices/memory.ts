/**
 * Memory of the processes while events come steadily: half as frames over CoAP, half over HTTP, each a webhook.
 *
 * MEMORY_MINUTES: how long (default: 60).
 */
import { keepFigures } from '../support/figures.ts';
import { mappedMb, proportionalMb } from '../support/process-usage.ts';
import { SERIAL_SQL } from '../support/serials.ts';
import { type Cell, printTable, round } from '../support/table.ts';
import { connectLoggers, type DeviceBench } from './device-bench.ts';
import { createSender, SENDING_DEVICES, sendAt } from './end-to-end.ts';
import { subscribe, untilDelivered } from './webhooks.ts';

const MINUTES = Number(process.env.MEMORY_MINUTES ?? 60);
const ROWS = 12;
/** Together 500 events a second. */
const PER_SECOND = { frames: 250, requests: 250 };
const LISTED_MAPPINGS = 6;

export async function benchMemory(bench: DeviceBench): Promise<void> {
  const fleet = await bench.stack.addFleet(SENDING_DEVICES, { serialSql: SERIAL_SQL });
  await subscribe(bench, fleet);
  const send = createSender(bench, fleet);
  const loggers = await connectLoggers(bench, fleet);
  const seconds = (MINUTES * 60) / ROWS;
  const rows: Cell[][] = [toRow(bench, 0)];
  for (let row = 1; row <= ROWS; row++) {
    await Promise.all([
      sendAt(send, PER_SECOND.requests, seconds),
      loggers.openLoop(PER_SECOND.frames, { devices: SENDING_DEVICES, seconds, round: row * 100 }),
    ]);
    await untilDelivered(bench);
    rows.push(toRow(bench, (row * seconds) / 60));
  }
  loggers.close();
  const together = rows.map((row) => Number(row.at(-1)));
  keepFigures({
    'memory.mb': together.at(-1) ?? 0,
    'memory.growthMb': (together.at(-1) ?? 0) - (together[ROWS / 2] ?? 0),
  });
  printTable(
    `Memory at ${PER_SECOND.frames} frames/s and ${PER_SECOND.requests} requests/s, MB, each page counted once`,
    ['minutes', ...processesOf(bench).map(([name]) => name), 'together'],
    rows,
  );
  for (const [name, pid] of processesOf(bench)) {
    printTable(
      `What the memory of the ${name} is mapped to`,
      ['', 'MB'],
      mappedMb(pid, LISTED_MAPPINGS).map(({ what, mb }) => [what, mb]),
    );
  }
}

const processesOf = ({ stack, gateway }: DeviceBench): Array<[name: string, pid: number]> => [
  ['API', stack.api.pid as number],
  ['worker', stack.worker.pid as number],
  ['gateway', gateway.pid as number],
];

function toRow(bench: DeviceBench, minutes: number): Cell[] {
  const megabytes = processesOf(bench).map(([, pid]) => proportionalMb(pid));
  return [round(minutes), ...megabytes, megabytes.reduce((sum, mb) => sum + mb, 0)];
}
