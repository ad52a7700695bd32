/** Paths of recorded histories: `histories/<workflow>/<scenario>.json`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const HISTORIES = fileURLToPath(new URL('./histories/', import.meta.url));

export const historyFile = ({ workflow, name }: { workflow: string; name: string }) =>
  join(HISTORIES, workflow, `${name}.json`);

/** The file names of a workflow. */
export function listHistories(workflow: string): string[] {
  const folder = join(HISTORIES, workflow);
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

export const readHistory = (workflow: string, file: string): string =>
  readFileSync(join(HISTORIES, workflow, file), 'utf8');
