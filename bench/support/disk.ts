/** How long the disk takes to flush 8 kB while a bench runs, which bounds the speed of commits. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const BLOCK = Buffer.alloc(8192, 1);
/**
 * Blocks overwritten in turn, like a write-ahead log: the file does not grow, so only its contents are
 * flushed.
 */
const BLOCKS = 512;
const EVERY_MS = 20;

export interface DiskWatch {
  /** Milliseconds of each flush, sorted. */
  stop(): Promise<number[]>;
}

export async function watchDisk(folder: string): Promise<DiskWatch> {
  const file = await open(join(folder, 'flushes'), 'w+');
  await file.write(Buffer.alloc(BLOCK.length * BLOCKS));
  await file.sync();
  const times: number[] = [];
  let isStopping = false;
  async function watch(): Promise<void> {
    for (let block = 0; !isStopping; block = (block + 1) % BLOCKS) {
      await file.write(BLOCK, 0, BLOCK.length, block * BLOCK.length);
      const startedAt = performance.now();
      await file.datasync();
      times.push(performance.now() - startedAt);
      await delay(EVERY_MS);
    }
    await file.close();
  }
  const watching = watch();
  return {
    async stop() {
      isStopping = true;
      await watching;
      return times.sort((a, b) => a - b);
    },
  };
}
