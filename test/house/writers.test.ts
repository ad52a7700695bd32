/** The table "Who writes which table" in ARCHITECTURE.md, against the statements of the source and the schema. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readSourceStatements } from './source-statements.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

type Writers = Map<string, Set<string>>;

describe('ARCHITECTURE.md', () => {
  const tables = [...read('docs/schema.sql').matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name]) => name ?? '');
  const documented = readDocumented(read('ARCHITECTURE.md'));

  it('lists every table of the schema once', () => {
    assert.deepEqual([...documented.keys()].sort(), tables.sort());
  });

  it('names the files that write each table', () => {
    assert.deepEqual(toText(documented), toText(readWriters(tables)));
  });
});

function readDocumented(markdown: string): Writers {
  const [, section = ''] = markdown.split('## Who writes which table');
  const rows = section.matchAll(/^\| `(\w+)` \| (.+?) \|/gm);
  return new Map(
    [...rows].map(([, table = '', files = '']) => [
      table,
      new Set([...files.matchAll(/`([^`]+)`/g)].map(([, file]) => `src/${file}`)),
    ]),
  );
}

function readWriters(tables: string[]): Writers {
  const writers: Writers = new Map(tables.map((table) => [table, new Set()]));
  for (const { path, texts } of readSourceStatements()) {
    for (const [, table = ''] of texts.join('\n').matchAll(/\b(?:insert into|update|delete from) (\w+)/g)) {
      writers.get(table)?.add(path);
    }
  }
  return writers;
}

/** A line per table, so that a difference is easy to read. */
const toText = (writers: Writers): string[] =>
  [...writers].map(([table, files]) => `${table}: ${[...files].sort().join(', ')}`).sort();
