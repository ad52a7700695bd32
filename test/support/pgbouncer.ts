/** A real PgBouncer in transaction mode in front of the test's PostgreSQL, if it is installed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../dev/embedded/find-program.ts';
import { freePort } from '../../dev/embedded/free-port.ts';
import { eventually } from './fleet.ts';

export interface PgBouncer {
  /** The same database, through the pooler. */
  url: string;
  stop(): Promise<void>;
}

/** So few connections to the server that those of the service have to share them. */
const SERVER_CONNECTIONS = 6;

/** Null if PgBouncer is not installed. */
export async function startPgBouncer(databaseUrl: string): Promise<PgBouncer | null> {
  const program = await findProgram('pgbouncer', { PATH: `${process.env.PATH}:/usr/sbin` });
  if (program === undefined) return null;
  const folder = mkdtempSync(join(tmpdir(), 'dms-pgbouncer-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  writeFileSync(join(folder, 'pgbouncer.ini'), configuration(new URL(databaseUrl), port));
  // PgBouncer refuses to run as root.
  const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn(program, ['-q', join(folder, 'pgbouncer.ini')], { stdio: 'ignore', ...owner });
  const ended = once(child, 'exit');
  await eventually(() => isListening(port), Boolean);
  const url = new URL(databaseUrl);
  url.port = String(port);
  return {
    url: url.href,
    async stop() {
      child.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const configuration = ({ hostname, port, username, password }: URL, ownPort: number): string => `
[databases]
* = host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
max_client_conn = 200
`;

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
