/** The contents of the write-ahead log of frames, by table and index, and the rest. */
import { SAMPLES_PER_FRAME } from '../support/loggers.ts';
import { SERIAL_SQL } from '../support/serials.ts';
import { printTable } from '../support/table.ts';
import { findLogPosition, logRows, readLog } from '../support/write-ahead-log.ts';
import { connectLoggers, type DeviceBench } from './device-bench.ts';

const DEVICES = 10_000;
const FRAMES = 30_000;
const UNDER_WAY = 400;

export async function benchWal(bench: DeviceBench): Promise<void> {
  const { sql } = bench.stack;
  const fleet = await bench.stack.addFleet(DEVICES, { serialSql: SERIAL_SQL });
  const loggers = await connectLoggers(bench, fleet);
  const send = (turn: number) =>
    loggers.closedLoop(FRAMES, { devices: DEVICES, underWay: UNDER_WAY, round: turn });
  await send(0);
  // After a checkpoint the first change of each page is logged with the whole page.
  await sql.raw('checkpoint');
  await send(10);
  const from = await findLogPosition(sql);
  await send(20);
  const found = await readLog(sql, from, await findLogPosition(sql));
  loggers.close();
  printTable(
    `Write-ahead log of ${FRAMES} frames of ${SAMPLES_PER_FRAME} readings, bytes a reading`,
    ['', 'bytes', 'of which full pages'],
    logRows(found, FRAMES * SAMPLES_PER_FRAME),
  );
}
