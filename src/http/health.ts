/** `/livez`: the process answers. `/readyz`: the process can work, with the state of each dependency. */
import { joined } from '../process/joined.ts';
import type { ReadOnlyPaths } from './app.ts';
import { helpLink } from './render-error.ts';

type DependencyState = 'ok' | 'degraded' | 'down';

interface DependencyHealth {
  state: DependencyState;
  message: string;
}

/** Each answers within its own time limit and never throws. */
export type HealthChecks = Record<string, () => Promise<DependencyHealth>>;

/** Phase of the process itself: while it starts or drains, it takes no new clients. */
export type Phase = 'starting' | 'up' | 'draining';

export type ReadReadiness = ReturnType<typeof createReadiness>;

interface ReadinessDeps {
  checks: HealthChecks;
  phase(): Phase;
  /** Release of the time zone database, for example 2025c; null: unknown. Does not affect the status. */
  timeZoneRules: string | null;
}

export function createReadiness({ checks, phase, timeZoneRules }: ReadinessDeps) {
  /** Joined, because anybody may ask. */
  const readDependencies = joined(() => runChecks(checks));
  return async () => {
    const dependencies = await readDependencies();
    const states = Object.values(dependencies).map(({ state }) => state);
    const status = phase() === 'up' ? worstOf(states) : phase();
    const isReady = status === 'ok' || status === 'degraded';
    const headers: Record<string, string> = isReady ? {} : { 'Retry-After': '5' };
    return { httpStatus: isReady ? 200 : 503, headers, body: { status, dependencies, timeZoneRules } };
  };
}

/** Both paths as part of the API. */
export function createHealth(readReadiness: ReadReadiness): ReadOnlyPaths {
  return {
    has: (path) => path === '/livez' || path === '/readyz',
    async handle(ctx) {
      if (ctx.path === '/livez') {
        ctx.body = { status: 'ok' };
        return;
      }
      const { httpStatus, headers, body } = await readReadiness();
      ctx.status = httpStatus;
      ctx.set(headers);
      if (httpStatus === 503) ctx.set(helpLink(503));
      ctx.body = body;
    },
  };
}

async function runChecks(checks: HealthChecks): Promise<Record<string, DependencyHealth>> {
  const entries = Object.entries(checks).map(async ([name, check]) => [name, await check()] as const);
  return Object.fromEntries(await Promise.all(entries));
}

const worstOf = (states: DependencyState[]): DependencyState =>
  states.includes('down') ? 'down' : states.includes('degraded') ? 'degraded' : 'ok';
