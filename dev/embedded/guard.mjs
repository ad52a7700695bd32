/**
 * Runs one server for a parent that may end in any way, even by kill -9. The parent holds the other end of
 * stdin and writes nothing to it: when stdin closes, the parent has ended or wants the server stopped. Then
 * the server gets its stop signal, and SIGKILL if it does not end in time.
 *
 * Guaranteed: the server never outlives this process, unless this process is killed with -9. This process
 * ends as the server did, with its exit code or by its signal.
 *
 * Plain JavaScript: the parent may load TypeScript, and this process must start without that.
 */
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';

const { command, args, cwd, uid, gid, stopSignal, graceMs, pidFile, temporaryFolder } = JSON.parse(
  process.argv[2],
);

// Ctrl-C and a SIGTERM to the process group are meant for the parent, which decides the order of the
// shutdown.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

// Uses a process group of its own: signals of the terminal do not reach the server, and a stop reaches its
// children.
const child = spawn(command, args, {
  cwd,
  uid,
  gid,
  detached: true,
  stdio: ['ignore', 'inherit', 'inherit'],
});
let running = child.pid !== undefined;

process.once('exit', () => signalGroup('SIGKILL'));
child.once('error', (error) => {
  process.stderr.write(`${command} could not be run: ${error.message}\n`, () => process.exit(127));
});
child.once('exit', (code, signal) => {
  running = false;
  if (pidFile) rmSync(pidFile, { force: true });
  // What the server has started may still write while it ends.
  if (temporaryFolder)
    rmSync(temporaryFolder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});

if (pidFile && running) writeFileSync(pidFile, `${child.pid}\n`);
process.stdin.once('close', stop).resume();

function stop() {
  signalGroup(stopSignal);
  setTimeout(() => signalGroup('SIGKILL'), graceMs);
}

function signalGroup(signal) {
  if (!running) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It ended just before the signal.
  }
}
