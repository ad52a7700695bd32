import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { UsageError } from './command.ts';

/** The content of a file, or of the standard input where the file is `-`. */
export async function readInput(file: string): Promise<Buffer> {
  if (file === '-') return buffer(process.stdin);
  try {
    return await readFile(file);
  } catch {
    throw new UsageError(`FILE cannot be read: ${file}`);
  }
}
