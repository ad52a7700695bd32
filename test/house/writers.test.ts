/**
 * The table "Who writes which table" in ARCHITECTURE.md matches the statements of the source and the schema.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { readSourceStatements } from './source-statements.ts';
import { readSources } from './sources.ts';

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
      writers.get(table)?.add(path.replace(/\.statements\.ts$/, '.repository.ts'));
    }
  }
  for (const { path, nodes } of readSources(['src'])) {
    for (const table of tablesWrittenByBuilder(nodes)) writers.get(table)?.add(path);
  }
  return writers;
}

const WRITES = ['insert', 'update', 'delete'];

function* tablesWrittenByBuilder(nodes: ts.Node[]): Generator<string> {
  for (const node of nodes) {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) continue;
    const { name, expression } = node.expression;
    if (WRITES.includes(name.text)) yield tableOf(expression, nodes);
  }
}

/**
 * The table that a chain of the query builder begins with, or a function of the file that begins it; '' for
 * other calls.
 */
function tableOf(chain: ts.Node, nodes: ts.Node[]): string {
  if (ts.isPropertyAccessExpression(chain)) return tableOf(chain.expression, nodes);
  if (!ts.isCallExpression(chain)) return '';
  const {
    expression: called,
    arguments: [first],
  } = chain;
  if (!ts.isIdentifier(called)) return tableOf(called, nodes);
  if (called.text === 'sql') return first && ts.isStringLiteralLike(first) ? first.text : '';
  const begun = nodes
    .filter(ts.isVariableDeclaration)
    .find(({ name, initializer }) => name.getText() === called.text && initializer)?.initializer;
  return begun && ts.isArrowFunction(begun) ? tableOf(begun.body, nodes) : '';
}

/** One line per table, so that a difference is easy to read. */
const toText = (writers: Writers): string[] =>
  [...writers].map(([table, files]) => `${table}: ${[...files].sort().join(', ')}`).sort();
