/** The packages of the clients, as npm and PyPI get them. */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capture } from './command.ts';
import { TEST_PROGRAMS } from './test-programs.ts';

/** That of a system may be too old. */
const PYTHON_BACKEND = join(TEST_PROGRAMS, 'python-build');

const BUILD = `
import os, sys
folder, backend, os.environ["SOURCE_DATE_EPOCH"] = sys.argv[1:]
sys.path.insert(0, backend)
from setuptools import build_meta
print(build_meta.build_wheel(folder))
print(build_meta.build_sdist(folder))
`;

export const hasPythonBackend = (): boolean => existsSync(PYTHON_BACKEND);

/** Writes the package into a folder, and returns the name of its file. */
export function packNpmClient(root: string, folder: string): string {
  const client = join(root, 'client');
  // Where npm is set to run no scripts of packages, it packs what is not built.
  capture(client, 'npm', 'run', 'build');
  const printed = capture(client, 'npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', folder);
  return (JSON.parse(printed.slice(printed.indexOf('[\n'))) as [{ filename: string }])[0].filename;
}

/**
 * Writes wheel and source distribution into a folder, and returns the names of their files. The wheel's files carry the
 * given time, so that two builds of one commit are equal.
 */
export function packPythonClient(root: string, folder: string, time: Date): string[] {
  // The backend writes into the folder of the sources.
  const sources = mkdtempSync(join(tmpdir(), 'dms-python-'));
  try {
    cpSync(join(root, 'client/python'), sources, { recursive: true });
    // The wheel keeps the rights of files, which differ between checkouts.
    capture(sources, 'find', '.', '-type', 'f', '-exec', 'chmod', '644', '{}', '+');
    const seconds = String(Math.floor(time.getTime() / 1_000));
    const printed = capture(sources, 'python3', '-c', BUILD, folder, PYTHON_BACKEND, seconds);
    return printed.split('\n').filter((line) => /^device_monitoring_client-\S+\.(?:whl|tar\.gz)$/.test(line));
  } finally {
    rmSync(sources, { recursive: true });
  }
}
