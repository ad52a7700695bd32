/** The command line in this process: a process per command would take a second each. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';

export interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs src/bin/cli.ts again. */
export async function runCommand(databaseUrl: string, ...typed: string[]): Promise<Run> {
  const result: Run = { code: 0, stdout: '', stderr: '' };
  const { argv, exitCode, stdout, stderr } = process;
  const writes = [stdout.write, stderr.write] as const;
  const into = (name: 'stdout' | 'stderr') => (text: string | Uint8Array) => {
    result[name] += text;
    return true;
  };
  [stdout.write, stderr.write] = [into('stdout'), into('stderr')];
  process.argv = [...argv.slice(0, 2), ...typed];
  process.env.DATABASE_URL = databaseUrl;
  try {
    await import(`../../src/bin/cli.ts?${randomUUID()}`);
    result.code = Number(process.exitCode ?? 0);
  } finally {
    [stdout.write, stderr.write] = writes;
    Object.assign(process, { argv, exitCode });
    delete process.env.DATABASE_URL;
  }
  return result;
}

/** Runs the work with a text at the standard input, from a pipe. */
export const withInput = <T>(text: string, work: () => Promise<T>): Promise<T> =>
  withStdin(Readable.from([text]), work);

/** Runs the work with keys that are typed at a terminal. */
export const withKeys = <T>(keys: string, work: () => Promise<T>): Promise<T> =>
  withStdin(Object.assign(Readable.from([keys]), { isTTY: true, setRawMode() {} }), work);

async function withStdin<T>(value: Readable, work: () => Promise<T>): Promise<T> {
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor;
  Object.defineProperty(process, 'stdin', { value, configurable: true });
  try {
    return await work();
  } finally {
    Object.defineProperty(process, 'stdin', stdin);
  }
}
