/** The disk beneath a bench: how long it takes to flush 8 kB, which bounds the speed of commits, and heavy work for it. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../src/db/database.ts';

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

const DIRTY_ROWS = 2_000_000;
const DIRTY_FILE_MB = 1_024;

/** About 500 MB of dirty pages of PostgreSQL and 1 GB of the file system, and a checkpoint that has just begun. */
export async function disturbDisk(sql: Database, folder: string): Promise<void> {
  await sql.raw(
    `create table disturbance as select g, repeat(md5(g::text), 6) as text from generate_series(1, ${DIRTY_ROWS}) g`,
  );
  const file = await open(join(folder, 'disturbance'), 'w');
  const megabyte = Buffer.alloc(1024 * 1024, 1);
  for (let written = 0; written < DIRTY_FILE_MB; written++) await file.write(megabyte);
  await file.close();
  sql.raw('checkpoint').catch(() => {});
  await delay(CHECKPOINT_BEGINS_MS);
}

const CHECKPOINT_BEGINS_MS = 50;
