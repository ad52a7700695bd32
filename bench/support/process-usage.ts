/** Resource usage of processes on this machine, from Linux's /proc. */
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Peak resident memory since the start. */
export const peakMb = (pid: number): number => readMb(pid, /VmHWM:\s+(\d+)/);

/** Resident memory now. */
export const residentMb = (pid: number): number => readMb(pid, /VmRSS:\s+(\d+)/);

function readMb(pid: number, kilobytes: RegExp): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(kilobytes.exec(status)?.[1] ?? 0) / 1024);
}

/** Processor time since the start, user and system. */
export const cpuSeconds = (pid: number): number => ticks(pid, USER_AND_SYSTEM) / TICKS_PER_SECOND;

/** The same for all descendants of this process whose program begins like this, with those of them that have ended. */
export const descendantsCpuSeconds = (program: string): number =>
  descendants(program).reduce((sum, pid) => sum + ticks(Number(pid), WITH_ENDED_CHILDREN), 0) /
  TICKS_PER_SECOND;

/** Fields of /proc/PID/stat behind the name. */
const USER_AND_SYSTEM = [11, 12];
const WITH_ENDED_CHILDREN = [11, 12, 13, 14];

function ticks(pid: number, fields: readonly number[]): number {
  const values = readIfThere(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
  return fields.reduce((sum, field) => sum + Number(values[field] ?? 0), 0);
}

/**
 * Memory of all descendants of this process whose program begins like this: their own pages, and their share
 * of shared ones.
 */
export const descendantsMb = (program: string): number =>
  descendants(program).reduce((sum, pid) => sum + proportionalMb(Number(pid)), 0);

/** The same of one process. */
export const proportionalMb = (pid: number): number => toMb(pssKilobytes(`/proc/${pid}/smaps_rollup`));

const PSS = /^Pss:\s+(\d+)/m;
const pssKilobytes = (file: string): number => Number(PSS.exec(readIfThere(file))?.[1] ?? 0);
const toMb = (kilobytes: number): number => Math.round(kilobytes / 1024);

/** The same by what the pages are mapped to: the largest first, then all others together. */
export function mappedMb(pid: number, listedMax: number): Array<{ what: string; mb: number }> {
  const byFile = new Map<string, number>();
  for (const mapping of readIfThere(`/proc/${pid}/smaps`).split(MAPPING_BEGINS)) {
    const [, file = ''] = /^\S+ \S+ \S+ \S+ \d+ *(.*)/.exec(mapping) ?? [];
    const what = file === '' ? 'no file: heaps and stacks' : (file.split('/').at(-1) as string);
    byFile.set(what, (byFile.get(what) ?? 0) + Number(PSS.exec(mapping)?.[1] ?? 0));
  }
  const largest = [...byFile].sort(([, a], [, b]) => b - a);
  const rest = largest.slice(listedMax).reduce((sum, [, kilobytes]) => sum + kilobytes, 0);
  return [...largest.slice(0, listedMax), ['all others', rest] as const].map(([what, kilobytes]) => ({
    what,
    mb: toMb(kilobytes),
  }));
}

const MAPPING_BEGINS = /^(?=[0-9a-f]+-[0-9a-f]+ )/m;

/** The ids of all descendants of this process whose program begins like this. */
function descendants(program: string): string[] {
  const processes = listProcesses();
  const below = new Set([String(process.pid)]);
  for (let size = 0; size < below.size; ) {
    size = below.size;
    for (const { pid, parent } of processes) if (below.has(parent)) below.add(pid);
  }
  return processes
    .filter(({ pid, name }) => below.has(pid) && name.startsWith(program))
    .map(({ pid }) => pid);
}

function listProcesses(): Array<{ pid: string; name: string; parent: string }> {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const [, name = '', parent] = /\((.*)\) \S (\d+)/.exec(readIfThere(`/proc/${pid}/stat`)) ?? [];
      return parent === undefined ? [] : [{ pid, name, parent }];
    });
}

/** A process may end while it is listed. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
