/** The demo tells only what it has seen: each step waits for it, and fails in plain words when it does not come. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Something that should have come did not. */
export class DidNotHappen extends Error {}

export interface Watch<T> {
  /** To be read after "did not come: ". */
  what: string;
  withinMs: number;
  look(): Promise<T> | T;
  holds(seen: T): boolean;
  /** Told when the text of what is seen changes. */
  describe?(seen: T): string;
  onChange?(text: string): void;
}

const PAUSE_MS = 200;

export async function until<T>({ what, withinMs, look, holds, describe, onChange }: Watch<T>): Promise<T> {
  const deadline = performance.now() + withinMs;
  let told = '';
  for (;;) {
    const seen = await look();
    const text = describe?.(seen) ?? '';
    if (text !== told) onChange?.(text);
    told = text;
    if (holds(seen)) return seen;
    if (performance.now() > deadline) {
      const last = text === '' ? '' : ` Seen last: ${text}.`;
      throw new DidNotHappen(`Within ${Math.round(withinMs / 1000)} s this did not come: ${what}.${last}`);
    }
    await sleep(PAUSE_MS);
  }
}
