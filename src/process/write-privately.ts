import { chmodSync, renameSync, writeFileSync } from 'node:fs';

/** Writes the whole file or nothing, readable by its owner only, so that one of two concurrent writers wins. */
export function writePrivately(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}
