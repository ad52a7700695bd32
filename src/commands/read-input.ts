import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Interrupted, UsageError } from './command.ts';

/** The content of a file, or of the standard input where the file is `-`. */
export async function readInput(file: string): Promise<Buffer> {
  if (file === '-') return buffer(process.stdin);
  try {
    return await readFile(file);
  } catch {
    throw new UsageError(`FILE cannot be read: ${file}`);
  }
}

/** Reads one line from the terminal without showing it, or the next one from a pipe. */
export async function readSecret(prompt: string): Promise<string> {
  process.stderr.write(prompt);
  const line = process.stdin.isTTY ? await readHidden() : await readPiped(process.stdin);
  if (line === null) throw new UsageError(`${prompt}no value was given`);
  return line.trim();
}

/** Null when the input ends first. */
async function readHidden(): Promise<string | null> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await new Promise((resolve, reject) => {
      reader.once('line', resolve).once('close', () => resolve(null));
      reader.once('SIGINT', () => reject(new Interrupted()));
    });
  } finally {
    reader.close();
    process.stderr.write('\n');
  }
}

/** One reader for each input, because a chunk may have the lines of later prompts. */
const readers = new WeakMap<Readable, () => Promise<string | null>>();

function readPiped(input: Readable): Promise<string | null> {
  const read = readers.get(input) ?? createLineReader(input);
  readers.set(input, read);
  return read();
}

/** Paused between lines, so that an open pipe keeps no process from ending. */
function createLineReader(input: Readable): () => Promise<string | null> {
  const reader = createInterface({ input });
  const lines = reader[Symbol.asyncIterator]();
  let isOpen = true;
  reader.once('close', () => {
    isOpen = false;
  });
  return async () => {
    if (isOpen) reader.resume();
    const { value, done } = await lines.next();
    if (isOpen) reader.pause();
    return done ? null : value;
  };
}
