/** The diagrams of the documents, and their files. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { DIAGRAMS_FOLDER } from '../../src/site/diagrams.ts';

const ROOT = new URL('../../', import.meta.url);
export const FOLDER = new URL(`${DIAGRAMS_FOLDER}/`, ROOT);

export function listDiagrams(): string[] {
  const files = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' });
  return files
    .trim()
    .split('\n')
    .flatMap((file) => diagramsIn(readFileSync(new URL(file, ROOT), 'utf8')));
}

/** Diagrams of a document in Markdown. */
const diagramsIn = (markdown: string): string[] =>
  [...markdown.matchAll(/^```mermaid\n([\s\S]*?)\n```$/gm)].map(([, text]) => text as string);

export const listDrawn = (): string[] => readdirSync(FOLDER);
