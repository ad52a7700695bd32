/**
 * Preloaded into a process with a wrong clock: shifts `Date` by CLOCK_SKEW_MS. Timers and `performance` are
 * monotonic and stay unchanged, as on a machine whose clock was set wrongly. Plain JavaScript: worker threads
 * load it too.
 */
// biome-ignore lint/style/noProcessEnv: this process has no settings of its own
const skewMs = Number(process.env.CLOCK_SKEW_MS ?? 0);
const RealDate = Date;

class SkewedDate extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + skewMs);
    else super(...args);
  }
  static now() {
    return RealDate.now() + skewMs;
  }
}

/** `Date()` without `new` returns text. */
globalThis.Date = new Proxy(SkewedDate, { apply: () => new SkewedDate().toString() });
