/** Parsing of arguments, and the answers to invalid ones. */
import assert from 'node:assert/strict';
import type { Command, CommandInput } from '../../src/commands/command.ts';
import { commandTree } from '../../src/commands/command-tree.ts';
import { runCommand } from '../support/command-line.ts';

const COMMAND: Command = {
  words: ['boxes', 'pack'],
  args: 'BOX ITEM… --by NAME [--seal] [--at-most N] [--size large|small]',
  summary: 'packs boxes',
  run: async () => undefined,
};

/** The input that the command gets, without absent options. */
async function inputOf(...typed: string[]): Promise<CommandInput> {
  const inputs: CommandInput[] = [];
  const tree = commandTree([COMMAND], async (_, input) => void inputs.push(input));
  await tree.parseAsync([...COMMAND.words, ...typed], { from: 'user' });
  const [{ options, ...input }] = inputs as [CommandInput];
  return { ...input, options: JSON.parse(JSON.stringify(options)) };
}

const run = (...typed: string[]) => runCommand('', ...typed);

describe('The command line', () => {
  it('parses positionals and options in any order, by the args of the command', async () => {
    assert.deepEqual(await inputOf('--by', 'Ada', 'a', '--seal', 'b', '--at-most=5', 'c', '--json'), {
      positionals: ['a', 'b', 'c'],
      options: { by: 'Ada', seal: true, 'at-most': '5', json: true },
      isJson: true,
    });
  });

  it('treats everything after -- as positionals', async () => {
    const { positionals, isJson } = await inputOf('--by', 'Ada', '--', 'a', '--json', '--help');
    assert.deepEqual([positionals, isJson], [['a', '--json', '--help'], false]);
  });

  it('accepts a value that begins with one hyphen, and no other option as a value', async () => {
    assert.equal((await inputOf('a', 'b', '--by', '-')).options.by, '-');
    for (const typed of [['--by', '--seal'], ['--by', ''], ['--by=']])
      await assert.rejects(inputOf('a', 'b', ...typed), /^Error: --by needs a value$/);
  });

  it('suggests a similar command or option, with exit code 2', async () => {
    for (const [typed, says] of [
      [['jbos'], "Unknown command 'jbos'\n(Did you mean jobs?)\n"],
      [['jobs', 'lst'], "Unknown command 'lst'\n(Did you mean list?)\n"],
      [['jobs', 'list', '--stauts', 'x'], "Unknown option '--stauts'\n(Did you mean --status?)\n"],
      [['help', 'jbos'], "Unknown command 'jbos'\n(Did you mean jobs?)\n"],
      [['jobs', 'show'], "Missing required argument 'ID'\n"],
      [['alert', 'list'], "Unknown command 'alert'\n(Did you mean alerts?)\n"],
      [['jobs', 'show', 'a', 'b'], "Too many arguments for 'show'. Expected 1 argument but got 2.\n"],
    ] as const)
      assert.deepEqual(await run(...typed), { code: 2, stdout: '', stderr: says });
  });

  it('prints the help of all commands, of a group and of one command', async () => {
    const all = await run();
    const group = await run('help', 'jobs');
    const one = await run('jobs', 'watch', '--help');
    assert.match(all.stdout, /^By API, from everywhere\n {2}login URL \[--name NAME\] {2,}keep URL/m);
    assert.match(all.stdout, /^On a machine of the service, with its settings\n {2}fleet list {2,}list/m);
    assert.match(group.stdout, /^ {2}jobs watch ID {2,}show how/m);
    assert.doesNotMatch(group.stdout, /login URL/);
    assert.match(one.stdout, /^Usage: npm run dms -- jobs watch ID\n\nshow how .*\n[\s\S]*\nExit code 3: /);
    assert.deepEqual(await run('help', 'jobs', 'watch'), one);
    for (const { code, stdout } of [all, group, one]) {
      assert.equal(code, 0);
      assert.match(stdout, /--json[\s\S]*--login NAME[\s\S]*\nExit codes: 0 done/);
    }
  });

  it('prints the help of a group that is typed alone as an error', async () => {
    const { code, stdout, stderr } = await run('jobs');
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    assert.match(stderr, /^Usage: npm run dms -- jobs COMMAND\n/);
  });

  it('prints its version', async () => {
    assert.match((await run('--version')).stdout, /^\d+\.\d+\.\d+\n$/);
  });
});
