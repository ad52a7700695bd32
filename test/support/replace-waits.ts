import { mock } from 'node:test';

/** Until `mock.restoreAll()`, a timer of exactly `ms` fires after `byMs`, so that a test does not depend on the real clock. */
export function replaceWaits(ms: number, byMs: number): void {
  const { setTimeout: wait } = globalThis;
  const replacing = (work: () => void, asked?: number, ...given: []) =>
    wait(work, asked === ms ? byMs : asked, ...given);
  mock.method(globalThis, 'setTimeout', replacing as typeof wait);
}
