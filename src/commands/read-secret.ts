import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

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
