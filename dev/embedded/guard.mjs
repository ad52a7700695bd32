/**
 * Runs one server for a parent that may die in any way, also by kill -9. The parent holds the other end of our
 * stdin and writes nothing to it: when it ends, the parent is gone or wants the server stopped, which is the same
 * to us. Then the server gets its stop signal, and SIGKILL when that was not enough.
 *
 * Guaranteed: the server is gone when we are, unless we ourselves are killed with -9. We end as it ended, with its
 * exit code or by its signal, so that the parent needs no other report.
 *
 * Plain JavaScript: the parent may run under tsx, and this process must start without it.
 */
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';

const { command, args, cwd, uid, gid, stopSignal, graceMs, pidFile } = JSON.parse(process.argv[2]);

// Ctrl-C and a group's SIGTERM are for the parent, who decides in which order things stop.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

// A group of its own: no terminal's signal reaches the server, and a stop reaches its children too.
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
    // It went between the look and the signal.
  }
}
