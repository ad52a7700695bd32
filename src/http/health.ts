/** `/livez`: the process answers. `/readyz`: it can do its work, with the reason per dependency. */
import type { Middleware } from 'koa';
import { allowOnlyReads } from './allow-only-reads.ts';

export type DependencyState = 'ok' | 'degraded' | 'down';

export interface DependencyHealth {
  state: DependencyState;
  message: string;
}

/** Each answers within its own bound and never throws. */
export type HealthChecks = Record<string, () => Promise<DependencyHealth>>;

export function createHealth(checks: HealthChecks, isDraining: () => boolean): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/livez' && ctx.path !== '/readyz') return next();
    allowOnlyReads(ctx);
    if (ctx.path === '/livez') {
      ctx.body = { status: 'ok' };
      return;
    }
    const entries = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await check()] as const),
    );
    const states = entries.map(([, { state }]) => state);
    const isDown = isDraining() || states.includes('down');
    ctx.status = isDown ? 503 : 200;
    if (isDown) ctx.set('Retry-After', '5');
    ctx.body = {
      status: isDraining() ? 'draining' : isDown ? 'down' : states.includes('degraded') ? 'degraded' : 'ok',
      dependencies: Object.fromEntries(entries),
    };
  };
}
