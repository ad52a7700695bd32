import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
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

/** Reads one line from the terminal without showing it, or from a pipe. */
export async function readSecret(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(prompt);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY === true });
  try {
    for await (const line of reader) return line.trim();
    return '';
  } finally {
    reader.close();
    if (stdin.isTTY) stderr.write('\n');
  }
}
