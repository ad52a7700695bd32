/**
 * The state of processes that are not children of this one: whether they run, and which one holds a lock
 * file.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The command line of the process; undefined when it has ended or is not visible. */
export function commandLine(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return fromPs(pid, 'args=');
  }
}

/** The pid of its parent; undefined when it has ended or is not visible. */
export function parentOf(pid: number): number | undefined {
  try {
    const [, fields] = /^.*\) \S (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) as RegExpExecArray;
    return Number.parseInt(fields as string, 10);
  } catch {
    const parent = Number.parseInt(fromPs(pid, 'ppid=') ?? '', 10);
    return Number.isNaN(parent) ? undefined : parent;
  }
}

function fromPs(pid: number, field: string): string | undefined {
  try {
    return execFileSync('/bin/ps', ['-o', field, '-p', String(pid)], { env: {}, encoding: 'utf8' });
  } catch {
    return undefined;
  }
}

/** The running process whose pid is in the file, if its command line contains this word or is not visible. */
export function lockOwner(pidFile: string, word: string): number | undefined {
  const pid = pidIn(pidFile);
  if (pid === undefined || !isAlive(pid)) return undefined;
  const command = commandLine(pid);
  return command === undefined || command.includes(word) ? pid : undefined;
}

export function pidIn(pidFile: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
