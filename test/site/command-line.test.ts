/** The page about the command line: every command, called as it is, with an example that the command takes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type Command, callOf, inputOf } from '../../src/commands/command.ts';
import { commands } from '../../src/commands/commands.ts';

const page = readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8');
/** The rows of the tables of commands, without their examples. */
const rows = [...page.matchAll(/^\| (`.+?`) \| (.+) \| `dms (.+)` \|$/gm)];

describe('The page about the command line', () => {
  it('lists each command with its parameters and its summary, and no other', () => {
    const listed = rows.map(([, call, summary]) => `${call} | ${summary}`);
    const known = commands.map((command) => `\`${inCell(callOf(command))}\` | ${inCell(command.summary)}`);
    assert.deepEqual(listed.toSorted(), known.toSorted());
  });

  it('shows examples that the commands take', () => {
    for (const [, call, , example] of rows) {
      const command = commands.find((each) => `\`${inCell(callOf(each))}\`` === call) as Command;
      const typed = (example as string).split(' ');
      assert.deepEqual(typed.slice(0, command.words.length), command.words);
      assert.doesNotThrow(() => inputOf(command, typed.slice(command.words.length)), example);
    }
  });
});

/** A bar would end the cell. */
const inCell = (text: string) => text.replaceAll('|', '\\|');
