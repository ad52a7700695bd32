/** Objects that run while the tests of a describe block do. */

const stopsOf = new WeakMap<Mocha.Suite, Array<() => unknown>>();

/**
 * Starts an object before the tests of the describe block that calls it, and stops it after them and after the hooks
 * of the block; the one that started first stops last. Its fields are there as soon as it has started.
 */
export function useStarted<T extends object>(
  start: () => T | Promise<T>,
  stop: (started: T) => unknown = () => {},
): T {
  const started = {} as T;
  before(async function () {
    Object.assign(started, await start());
    stopLater(this.test?.parent as Mocha.Suite, () => stop(started));
  });
  return started;
}

/** Each hook stops the latest of those that still run. */
function stopLater(suite: Mocha.Suite, stop: () => unknown): void {
  const stops = stopsOf.get(suite) ?? [];
  stopsOf.set(suite, stops);
  stops.push(stop);
  suite.afterAll(() => stops.pop()?.());
}
