/** The page about the command line: every command as it is called, with a valid example. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Command } from '../../src/commands/command.ts';
import { commandTree } from '../../src/commands/command-tree.ts';
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

  it('shows examples that the commands accept', async () => {
    for (const [, call, , example] of rows) {
      const run: Command[] = [];
      const tree = commandTree(commands, async (command) => void run.push(command));
      await tree.parseAsync((example as string).split(' '), { from: 'user' });
      assert.deepEqual(
        run.map((each) => `\`${inCell(callOf(each))}\``),
        [call],
      );
    }
  });
});

const callOf = ({ words, args }: Command): string => `${words.join(' ')} ${args}`.trim();

/** A bar would end the cell. */
const inCell = (text: string) => text.replaceAll('|', '\\|');
