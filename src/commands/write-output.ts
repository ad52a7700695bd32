import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { UsageError } from './command.ts';

/**
 * Writes to the file, or to the standard output without one, and returns the number of bytes. The file has
 * its name only once it is complete.
 */
export async function writeOutput(body: unknown, file: string | undefined): Promise<number> {
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  const source = Readable.fromWeb(body as ReadableStream);
  if (file === undefined) await pipeline(source, count, process.stdout, { end: false });
  else await writeFile(pipeline(source, count, createWriteStream(`${file}.part`)), file);
  return bytes;
}

const NOT_WRITABLE = ['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EROFS'];

async function writeFile(written: Promise<void>, file: string): Promise<void> {
  try {
    await written;
    await rename(`${file}.part`, file);
  } catch (error) {
    await rm(`${file}.part`, { force: true });
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!NOT_WRITABLE.includes(code)) throw error;
    throw new UsageError(`--output must name a file that can be written, in a folder that exists: ${file}`);
  }
}
