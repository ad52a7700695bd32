/** Just below the limit of a test (.mocharc.json), so that a failure shows what was read last. */
export const PATIENCE_MS = 150_000;
