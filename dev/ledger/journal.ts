/** The event log of a run: one JSON line per event, for the analysis of a failure. */
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

export interface Journal {
  write(what: string, details?: object): void;
  /** Milliseconds since the journal was opened. */
  nowMs(): number;
  close(): Promise<void>;
}

export function openJournal(file: string): Journal {
  const stream = createWriteStream(file);
  const startedAt = performance.now();
  const nowMs = () => Math.round(performance.now() - startedAt);
  return {
    write: (what, details = {}) =>
      void stream.write(
        `${JSON.stringify({ atMs: nowMs(), time: new Date().toISOString(), what, ...details })}\n`,
      ),
    nowMs,
    async close() {
      stream.end();
      await finished(stream);
    },
  };
}
