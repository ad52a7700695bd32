/**
 * The faults of a run of the ledger and their times, drawn from the seed: the same seed gives the same plan.
 */
import { createRandom } from '../simulator/random.ts';

export const PROCESS_KINDS = ['api', 'gateway', 'worker'] as const;
export type ProcessKind = (typeof PROCESS_KINDS)[number];

/** One of several processes of a kind: `worker-2`. */
export interface NamedProcess {
  kind: ProcessKind;
  name: string;
}

/**
 * kill, term: SIGKILL and SIGTERM of a process. stop: SIGSTOP, later SIGCONT. database: immediate shutdown of
 * PostgreSQL. temporal: SIGKILL of the Temporal server.
 */
export type FaultKind = 'kill' | 'term' | 'stop' | 'database' | 'temporal';

export interface Fault {
  kind: FaultKind;
  /** Null for a server. */
  processName: string | null;
  /** Counted from the beginning of the faults. */
  atMs: number;
  /** Until the process or server is started again, or continues. */
  forMs: number;
}

export interface FaultPlan {
  faults: Fault[];
  /** The clock of this process is wrong all the time. */
  skew: { processName: string; ms: number };
}

export interface FaultPlanOptions {
  seed: number;
  durationMs: number;
  processes: readonly NamedProcess[];
}

const EVERY_MS = 8_000;
const SKEW_MS = 120_000;
const AWAY_MS_MAX = 4_000;
const STOPPED_MS_MAX = 15_000;

/**
 * In every round each kind of process is killed, terminated and stopped once, and each server once, in random
 * order.
 */
export function planFaults({ seed, durationMs, processes }: FaultPlanOptions): FaultPlan {
  const random = createRandom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const skewed = pick(processes);
  const faults: Fault[] = [];
  let round: Array<Pick<Fault, 'kind' | 'processName'>> = [];
  for (let atMs = EVERY_MS * random(); atMs < durationMs; atMs += EVERY_MS * (0.5 + random())) {
    if (round.length === 0) round = shuffled(roundOf(processes, pick), random);
    const fault = round.pop() as Pick<Fault, 'kind' | 'processName'>;
    const longestMs = fault.kind === 'stop' ? STOPPED_MS_MAX : AWAY_MS_MAX;
    faults.push({ ...fault, atMs: Math.round(atMs), forMs: Math.round(longestMs * random()) });
  }
  return { faults, skew: { processName: skewed.name, ms: random() < 0.5 ? -SKEW_MS : SKEW_MS } };
}

function roundOf(processes: readonly NamedProcess[], pick: (names: readonly NamedProcess[]) => NamedProcess) {
  const ofProcesses = PROCESS_KINDS.flatMap((processKind) =>
    (['kill', 'term', 'stop'] as const).map((kind) => ({
      kind,
      processName: pick(processes.filter((each) => each.kind === processKind)).name,
    })),
  );
  return [
    ...ofProcesses,
    { kind: 'database' as const, processName: null },
    { kind: 'temporal' as const, processName: null },
  ];
}

/** The shuffle of Fisher and Yates. */
function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}
