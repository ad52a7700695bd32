/** The command line of `npm run ledger`. */
import { parseArgs } from 'node:util';

export interface LedgerOptions {
  /**
   * Duration of the faults; before and after it the ledger starts everything and waits until the run is
   * quiet.
   */
  minutes: number;
  seed: number;
  devices: number;
  /** Processes of each kind. */
  each: number;
  /**
   * server: on PostgreSQL with 512 shards, as in production. dev: the server of the Temporal CLI, on SQLite.
   */
  temporal: 'server' | 'dev';
  /** Instead of faults, an upgrade from the previous release, back to it, and forward again. */
  isUpgrade: boolean;
  /** Without the Temporal server or the previous release, the run is skipped instead of failing. */
  isOptional: boolean;
  /** Keeps the folder of the run even without findings. */
  isKept: boolean;
}

export const LEDGER_USAGE = `npm run ledger -- [--minutes 10] [--seed N] [--devices 200] [--each 2] [--temporal server|dev] [--upgrade] [--or-skip] [--keep]

  Runs several of each process on PostgreSQL and Temporal, kills, stops and starts them at random, and compares at the
  end what clients got as answers with what the service shows. The same seed draws the same faults.

  --minutes M   of faults (10); the end takes some minutes more
  --seed N      by default one from the clock
  --devices N   loggers, half over CoAP and half over HTTP (200)
  --each N      processes of each kind (2)
  --temporal T  server: the real one on PostgreSQL, built with Go if needed; dev: that of the Temporal CLI (server)
  --upgrade     instead of faults: the release before, under load, is replaced by this one, which is taken back, and
                comes again
  --or-skip     where there is no Temporal server, or no git history with the release before, says so and succeeds
  --keep        keeps the folder with logs also when nothing was found
`;

export class LedgerUsageFault extends Error {}

const OPTIONS = {
  minutes: { type: 'string', default: '10' },
  seed: { type: 'string' },
  devices: { type: 'string', default: '200' },
  each: { type: 'string', default: '2' },
  temporal: { type: 'string', default: 'server' },
  upgrade: { type: 'boolean', default: false },
  'or-skip': { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
} as const;

export function ledgerOptions(args: string[], nowMs: number): LedgerOptions {
  const { values } = parse(args);
  const { temporal } = values;
  if (temporal !== 'server' && temporal !== 'dev')
    throw new LedgerUsageFault('--temporal must be server or dev');
  return {
    minutes: number('minutes', values.minutes, { min: 0.2, isWhole: false }),
    seed: number('seed', values.seed ?? String(nowMs % 1_000_000), { min: 0, isWhole: true }),
    devices: number('devices', values.devices, { min: 4, isWhole: true }),
    each: number('each', values.each, { min: 1, isWhole: true }),
    temporal,
    isUpgrade: values.upgrade,
    isOptional: values['or-skip'],
    isKept: values.keep,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS });
  } catch (error) {
    throw new LedgerUsageFault((error as Error).message.split('\n')[0]);
  }
}

function number(name: string, text: string, { min, isWhole }: { min: number; isWhole: boolean }): number {
  const value = Number(text);
  if (!(value >= min) || (isWhole && !Number.isInteger(value)))
    throw new LedgerUsageFault(`--${name} must be a ${isWhole ? 'whole ' : ''}number of at least ${min}`);
  return value;
}
