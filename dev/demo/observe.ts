/** The demo prints only observed facts: each step waits for its outcome, and fails without it. */
import { setTimeout as sleep } from 'node:timers/promises';

/** An expected outcome did not occur. */
export class DidNotHappen extends Error {}

export interface Expectation<T> {
  /** Follows "this did not come: " in the message. */
  what: string;
  withinMs: number;
  read(): Promise<T> | T;
  holds(seen: T): boolean;
  describe?(seen: T): string;
  /** Called when the description changes. */
  onChange?(text: string): void;
}

const PAUSE_MS = 200;

export async function until<T>(expectation: Expectation<T>): Promise<T> {
  const { what, withinMs, read, holds, describe, onChange } = expectation;
  const deadline = performance.now() + withinMs;
  let lastText = '';
  for (;;) {
    const seen = await read();
    const text = describe?.(seen) ?? '';
    if (text !== lastText) onChange?.(text);
    lastText = text;
    if (holds(seen)) return seen;
    if (performance.now() > deadline) {
      const last = text === '' ? '' : ` Seen last: ${text}.`;
      throw new DidNotHappen(`Within ${Math.round(withinMs / 1000)} s this did not come: ${what}.${last}`);
    }
    await sleep(PAUSE_MS);
  }
}
