/** The pages about commands: every command as it is called, with a valid example. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readApiDocument } from '../../src/commands/api-document-file.ts';
import type { Command } from '../../src/commands/command.ts';
import { commandTree } from '../../src/commands/command-tree.ts';
import { commands } from '../../src/commands/commands.ts';
import { OPERATION_LAYOUTS } from '../../src/commands/operation-layout.ts';
import { operationsOf } from '../../src/http/api-document.ts';

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
const page = read('command-line.md');
const isDerived = ({ words }: Command) => words.join(' ') in OPERATION_LAYOUTS;
/** The rows of the tables of commands, without their examples. */
const rows = [...page.matchAll(/^\| (`.+?`) \| (.+) \| `dms (.+)` \|$/gm)];

describe('The page about the command line', () => {
  it('lists each command that is not derived from an operation, with its parameters and its summary', () => {
    const listed = rows.map(([, call, summary]) => `${call} | ${summary}`);
    const written = commands.filter((command) => !isDerived(command));
    const known = written.map((command) => `\`${inCell(callOf(command))}\` | ${inCell(command.summary)}`);
    assert.deepEqual(listed.toSorted(), known.toSorted());
  });

  it('shows examples that the commands accept', async () => {
    for (const [, call, , example = ''] of rows) {
      const command = await parse(example.split(' '));
      assert.equal(`\`${inCell(callOf(command))}\``, call);
    }
  });

  it('names each noun and each single word by which operations are called', () => {
    const nouns = new Set(Object.keys(OPERATION_LAYOUTS).map((words) => words.split(' ')[0]));
    assert.deepEqual(
      [...nouns].filter((noun) => !page.includes(`\`${noun}\``)),
      [],
    );
  });
});

describe('The table of operations', () => {
  const sections = read('operations.md').split('\n\n| ').slice(1);

  it('shows commands that are accepted, and that call the operation of their row', async () => {
    const operations = new Map(
      operationsOf(readApiDocument()).map((each) => [`${each.method} ${each.path}`, each.id]),
    );
    const shown = sections.flatMap((text) => {
      const [, example] = /^\| Command line \| `dms (.+)` \|$/m.exec(text) ?? [];
      const [, operation = ''] = /\| `([A-Z]+ \S+)` \|$/m.exec(text) ?? [];
      return example ? [{ example: example.replaceAll('\\|', '|'), id: operations.get(operation) }] : [];
    });
    assert.ok(shown.length > 80, `${shown.length} commands`);
    for (const { example, id } of shown) {
      const command = await parse(shellWords(example));
      assert.ok(
        command.operations?.some((each) => each === id),
        `${example}: ${id}`,
      );
    }
  });
});

/** The command that the words call. */
async function parse(typed: string[]): Promise<Command> {
  const run: Command[] = [];
  const tree = commandTree(commands, async (command) => void run.push(command));
  await tree.parseAsync(typed, { from: 'user' });
  return run[0] as Command;
}

/** Words as a shell splits them, with single quotes. */
const shellWords = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => (quoted ?? word) as string);

const callOf = ({ words, args }: Command): string => `${words.join(' ')} ${args}`.trim();

/** A bar would end the cell. */
const inCell = (text: string) => text.replaceAll('|', '\\|');
