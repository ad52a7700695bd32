/**
 * `npm run bench:steady`: readings over HTTP that become webhooks, as fast as they go, ten times on fresh
 * databases, every second time right after heavy work of the disk.
 *
 * STEADY_RUNS: how often (default: 10).
 */
import { keepFigures } from './support/figures.ts';
import { runBench } from './support/run-bench.ts';
import { type Cell, printTable, round } from './support/table.ts';

const RUNS = Number(process.env.STEADY_RUNS ?? 10);
const MEASURED = ['saturated.perSecond', 'saturated.cpuPer1000', 'saturated.p99'] as const;

const perSecond: number[] = [];
const rows: Cell[][] = [];
for (let run = 1; run <= RUNS; run++) {
  const isDisturbed = run % 2 === 0;
  const env = { DISTURBED_DISK: isDisturbed ? '1' : '', BENCH_IS_BUILT: run > 1 ? '1' : '' };
  const figures = await runBench(['bench/devices.ts', 'saturated'], env);
  rows.push([
    run,
    isDisturbed ? 'right after heavy disk work' : 'quiet',
    ...MEASURED.map((name) => figures[name] ?? 0),
  ]);
  perSecond.push(figures['saturated.perSecond'] ?? 0);
}
const [least, most] = [Math.min(...perSecond), Math.max(...perSecond)];
const maxToMin = round(most / least, 2);
printTable(
  `HTTP in, stored, webhook received, saturated, each on a fresh database: ${least}–${most} webhooks/s, ${maxToMin} apart`,
  ['run', '', 'webhooks/s', 'CPU s per 1,000', 'answer p99 ms'],
  rows,
);
keepFigures({ 'steady.least': least, 'steady.maxToMin': maxToMin });
