/** Files that are saved, also while nobody waits for them. */
import { EventEmitter, once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface Saves {
  /** Those that were saved since the last call, by path from the root, once nothing more is written. */
  next(): Promise<string[]>;
  stop(): void;
}

/** Editors write a file in several steps. */
const SETTLED_MS = 50;

export function watchSaves(root: string, folders: readonly string[]): Saves {
  const saved = new Set<string>();
  const writes = new EventEmitter();
  let count = 0;
  const watchers = folders.map((folder) =>
    watch(join(root, folder), { recursive: true }, (_event, name) => {
      if (name === null || name.endsWith('~')) return;
      saved.add(join(folder, name));
      count++;
      writes.emit('write');
    }),
  );
  return {
    async next() {
      if (saved.size === 0) await once(writes, 'write');
      let before: number;
      do {
        before = count;
        await delay(SETTLED_MS);
      } while (before !== count);
      const files = [...saved];
      saved.clear();
      return files;
    },
    stop() {
      for (const each of watchers) each.close();
    },
  };
}
