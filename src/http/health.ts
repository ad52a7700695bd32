/** `/livez`: the process answers. `/readyz`: it can do its work, with the state of each dependency. */
import type { Context } from 'koa';
import type { ReadOnlyPaths } from './app.ts';

export type DependencyState = 'ok' | 'degraded' | 'down';

export interface DependencyHealth {
  state: DependencyState;
  message: string;
}

/** Each answers within its own time limit and never throws. */
export type HealthChecks = Record<string, () => Promise<DependencyHealth>>;

export function createHealth(checks: HealthChecks, isDraining: () => boolean): ReadOnlyPaths {
  return {
    has: (path) => path === '/livez' || path === '/readyz',
    async handle(ctx) {
      if (ctx.path === '/livez') ctx.body = { status: 'ok' };
      else answerReadiness(ctx, await runChecks(checks), isDraining());
    },
  };
}

async function runChecks(checks: HealthChecks): Promise<Record<string, DependencyHealth>> {
  const entries = Object.entries(checks).map(async ([name, check]) => [name, await check()] as const);
  return Object.fromEntries(await Promise.all(entries));
}

function answerReadiness(
  ctx: Context,
  dependencies: Record<string, DependencyHealth>,
  isDraining: boolean,
): void {
  const states = Object.values(dependencies).map(({ state }) => state);
  const isDown = isDraining || states.includes('down');
  ctx.status = isDown ? 503 : 200;
  if (isDown) ctx.set('Retry-After', '5');
  ctx.body = {
    status: isDraining ? 'draining' : isDown ? 'down' : states.includes('degraded') ? 'degraded' : 'ok',
    dependencies,
  };
}
