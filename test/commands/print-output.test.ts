import assert from 'node:assert/strict';
import type { Output } from '../../src/commands/command.ts';
import { printOutput } from '../../src/commands/print-output.ts';
import { toLines, toTable } from '../../src/commands/show-value.ts';

function printed(output: Output, isJson = false): string {
  const { write } = process.stdout;
  let text = '';
  process.stdout.write = (piece) => {
    text += piece;
    return true;
  };
  try {
    printOutput(output, isJson);
  } finally {
    process.stdout.write = write;
  }
  return text;
}

describe('The output of commands', () => {
  it('shows characters of others that steer the terminal or turn the text as replacement characters, and leaves JSON as it is', () => {
    const items = [{ name: 'a\u001b[2Jb\u009bc', note: 'ß\u007f\u202e' }];
    assert.equal(printed(toTable(items, ['name', 'note'])), 'NAME      NOTE\na�[2Jb�c  ß��\n');
    assert.equal(printed({ text: 'two\nlines\r', value: null }), 'two\nlines�\n');
    assert.deepEqual(JSON.parse(printed(toTable(items, ['name']), true)), items);
  });

  it('aligns columns by paths in the items, with a dash for values that are absent', () => {
    const items = [
      { id: 1, by: { name: 'Ada' }, isLate: true, types: ['a', 'b'] },
      { id: 20, by: null, isLate: false, types: [] },
    ];
    assert.equal(
      printed(toTable(items, ['id', 'by.name', 'isLate', 'types'])),
      'ID  NAME  IS LATE  TYPES\n1   Ada   yes      a, b\n20  –     no       –\n',
    );
  });

  it('prints a table of any length', () => {
    const items = Array.from({ length: 200_000 }, (_, index) => ({ id: index }));
    const lines = printed(toTable(items, ['id'])).split('\n');
    assert.deepEqual([lines.length, lines[0], lines.at(-2)], [200_002, 'ID', '199999']);
  });

  it('shows an object as lines, with nested objects indented and a line for each item of a list', () => {
    const value = {
      recType: 'alert',
      id: 'x',
      endedAt: null,
      muted: false,
      by: { name: 'Ada' },
      history: [{ at: 1, by: { name: 'Bo' }, comment: null }],
      types: ['a', 'b'],
    };
    assert.deepEqual(toLines(value), [
      'id: x',
      'endedAt: –',
      'muted: no',
      'by:',
      '  name: Ada',
      'history:',
      '- at 1, by (name Bo)',
      'types: a, b',
    ]);
  });
});
