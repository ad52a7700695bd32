/** Carries out a plan of faults: each at its time, on a process without another fault. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Fault, FaultPlan } from './fault-plan.ts';
import type { Journal } from './journal.ts';
import type { Servers } from './servers.ts';
import type { ServiceProcess } from './service-processes.ts';

export interface InjectOptions {
  plan: FaultPlan;
  processes: readonly ServiceProcess[];
  servers: Servers;
  journal: Journal;
  onFault(text: string): void;
}

/** Number of faults by kind. */
export type FaultCounts = Record<Fault['kind'] | 'skipped', number>;

export interface Injection {
  counts: FaultCounts;
  /** Resolves when all faults are over and everything is up. */
  done: Promise<void>;
}

export function injectFaults({ plan, processes, servers, journal, onFault }: InjectOptions): Injection {
  const counts: FaultCounts = { kill: 0, term: 0, stop: 0, database: 0, temporal: 0, skipped: 0 };
  const held = new Set<string>();
  const byName = new Map(processes.map((each) => [each.name, each]));

  async function carryOut(fault: Fault): Promise<void> {
    const what = fault.processName ?? fault.kind;
    if (held.has(what)) return void counts.skipped++;
    held.add(what);
    journal.write('fault', { ...fault });
    counts[fault.kind]++;
    try {
      await perform(fault);
      journal.write('fault over', { kind: fault.kind, processName: fault.processName });
    } catch (error) {
      onFault(`${what} did not come back: ${(error as Error).message}`);
    } finally {
      held.delete(what);
    }
  }

  async function perform({ kind, processName, forMs }: Fault): Promise<void> {
    const away = () => delay(forMs);
    if (kind === 'database') return servers.interruptDatabase(away);
    if (kind === 'temporal') return servers.interruptTemporal(away);
    const serviceProcess = byName.get(processName as string) as ServiceProcess;
    if (kind === 'stop') {
      serviceProcess.signal('SIGSTOP');
      await away();
      return serviceProcess.signal('SIGCONT');
    }
    await serviceProcess.end(kind === 'kill' ? 'SIGKILL' : 'SIGTERM');
    await away();
    await serviceProcess.start();
  }

  async function run(): Promise<void> {
    const startedAt = performance.now();
    const underWay: Promise<void>[] = [];
    for (const fault of plan.faults) {
      await delay(Math.max(0, startedAt + fault.atMs - performance.now()));
      underWay.push(carryOut(fault));
    }
    await Promise.all(underWay);
  }

  return { counts, done: run() };
}
