export interface TestClock {
  ms: number;
  now(): Date;
}

/** A clock for one test service: it stands still until the test advances it. */
export function createClock(startMs = Date.UTC(2026, 2, 2, 8)): TestClock {
  const clock = { ms: startMs, now: () => new Date(clock.ms) };
  return clock;
}
