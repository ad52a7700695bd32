/** The reader of statements, on which other tests of the house rely. */
import assert from 'node:assert/strict';
import { readStatementsIn } from './source-statements.ts';

const textsOf = (source: string) => readStatementsIn(source).flatMap(({ texts }) => texts);

describe('The reader of SQL statements', () => {
  it('fills in a parameter that functions pass on to each other under the same name', () => {
    const source = `
      const list = (table) => find(table);
      const find = (table) => query(\`select id from \${table}\`);
      list('assets');
      find('alerts');`;
    assert.deepEqual(textsOf(source).sort(), ['select id from alerts', 'select id from assets']);
  });

  it('ends when functions call each other', () => {
    const source = `
      const list = (name) => find(name);
      const find = (table) => [list(table), query(\`select id from \${table}\`)];
      list('assets');`;
    assert.deepEqual(textsOf(source), ['select id from assets']);
  });
});
