/** Carries a plan of faults out: each at its time, on a process that no other fault holds. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Fault, FaultPlan } from './fault-plan.ts';
import type { Journal } from './journal.ts';
import type { Member } from './members.ts';
import type { Servers } from './servers.ts';

export interface InjectOptions {
  plan: FaultPlan;
  members: readonly Member[];
  servers: Servers;
  journal: Journal;
  onFault(text: string): void;
}

/** How often each was done. */
export type FaultCounts = Record<Fault['kind'] | 'skipped', number>;

export interface Injection {
  counts: FaultCounts;
  /** Resolves when all faults are over and everything is up. */
  done: Promise<void>;
}

export function injectFaults({ plan, members, servers, journal, onFault }: InjectOptions): Injection {
  const counts: FaultCounts = { kill: 0, term: 0, stop: 0, database: 0, temporal: 0, skipped: 0 };
  const held = new Set<string>();
  const byName = new Map(members.map((member) => [member.name, member]));

  async function carryOut(fault: Fault): Promise<void> {
    const what = fault.member ?? fault.kind;
    if (held.has(what)) return void counts.skipped++;
    held.add(what);
    journal.write('fault', { ...fault });
    counts[fault.kind]++;
    try {
      await perform(fault);
      journal.write('fault over', { kind: fault.kind, member: fault.member });
    } catch (error) {
      onFault(`${what} did not come back: ${(error as Error).message}`);
    } finally {
      held.delete(what);
    }
  }

  async function perform({ kind, member: name, forMs }: Fault): Promise<void> {
    const away = () => delay(forMs);
    if (kind === 'database') return servers.interruptDatabase(away);
    if (kind === 'temporal') return servers.interruptTemporal(away);
    const member = byName.get(name as string) as Member;
    if (kind === 'stop') {
      member.signal('SIGSTOP');
      await away();
      return member.signal('SIGCONT');
    }
    await member.end(kind === 'kill' ? 'SIGKILL' : 'SIGTERM');
    await away();
    await member.start();
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
