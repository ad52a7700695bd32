/**
 * An upgrade under load: every process is replaced by one of the current release while the others serve, then
 * by the previous release again, which runs on the current schema, and at last by the current one.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Injection } from './inject-faults.ts';
import type { Journal } from './journal.ts';
import type { ServiceProcess } from './service-processes.ts';

export interface UpgradeOptions {
  processes: readonly ServiceProcess[];
  /** The folders of both releases. */
  before: string;
  today: string;
  durationMs: number;
  /** Brings schema and namespace up to date. */
  migrate(): void;
  journal: Journal;
  onFault(text: string): void;
}

const PHASES = 4;

export function upgradeAndBack(options: UpgradeOptions): Injection {
  const { processes, before, today, durationMs, migrate, journal, onFault } = options;
  const counts = { kill: 0, term: 0, stop: 0, database: 0, temporal: 0, skipped: 0 };

  async function replace(serviceProcess: ServiceProcess, root: string): Promise<void> {
    counts.term += 1;
    await serviceProcess.end('SIGTERM');
    serviceProcess.use(root);
    await serviceProcess.start();
  }

  /** Replaces one process of each kind at a time, as an orchestrator does. */
  async function replaceAll(root: string): Promise<void> {
    journal.write('replacing', { root });
    for (const number of new Set(processes.map(numberOf)))
      await Promise.all(
        processes.filter((each) => numberOf(each) === number).map((each) => replace(each, root)),
      );
  }

  async function run(): Promise<void> {
    const pause = () => delay(durationMs / PHASES);
    try {
      await pause();
      migrate();
      for (const root of [today, before, today]) {
        await replaceAll(root);
        await pause();
      }
    } catch (error) {
      onFault(`the upgrade stopped: ${(error as Error).message}`);
    }
  }

  return { counts, done: run() };
}

const numberOf = ({ name }: ServiceProcess) => name.split('-')[1];
