/** pg_dump and pg_restore, of at least the version of the server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { programEnvironment } from '../process/config.ts';

export type Program = 'pg_dump' | 'pg_restore';

/**
 * Runs the program on the database. The password is in the environment, because arguments are visible to
 * every user of the machine. With `ownFiles`, it uses the standard input and output of this process.
 */
export async function runProgram(
  program: Program,
  databaseUrl: string,
  args: string[],
  { ownFiles = false } = {},
): Promise<void> {
  const { url, password } = withoutPassword(databaseUrl);
  const { code, output } = await run(program, [...args, '--dbname', url], { password, ownFiles });
  if (code !== 0) throw new Error(`${program} failed:\n${output.trim()}`);
}

export async function requireProgram(program: Program, serverVersion: number): Promise<void> {
  const { output } = await run(program, ['--version']).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(
      `${program} is not installed: install the client programs of PostgreSQL ${serverVersion}, and put them on the PATH`,
    );
  });
  const version = Number(/ (\d+)/.exec(output)?.[1]);
  if (version >= serverVersion) return;
  throw new Error(
    `${program} is of PostgreSQL ${version}, the server of ${serverVersion}: put the client programs of ${serverVersion} first on the PATH`,
  );
}

function withoutPassword(databaseUrl: string): { url: string; password: string } {
  const url = new URL(databaseUrl);
  const password = decodeURIComponent(url.password);
  url.password = '';
  return { url: url.href, password };
}

async function run(
  program: Program,
  args: string[],
  { password = '', ownFiles = false } = {},
): Promise<{ code: number; output: string }> {
  const child = spawn(program, args, {
    env: programEnvironment(password === '' ? {} : { PGPASSWORD: password }),
    stdio: ownFiles ? ['inherit', 'inherit', 'pipe'] : ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  return { code, output };
}
