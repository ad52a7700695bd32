/** Commander's tree of the commands: it parses the arguments, prints help and suggests similar names. */
import { Help, Command as Node, Option } from 'commander';
import { VERSION } from '../process/version.ts';
import { type Command, type CommandInput, UsageError } from './command.ts';

type Run = (command: Command, input: CommandInput) => Promise<void>;

const PROGRAM = 'npm run dms --';
const CALL_WIDTH_MAX = 48;
const OF_ALL = `
Every command takes --json, for programs, and --help.
Commands by API take --login NAME; without it DMS_URL and DMS_KEY decide, then the login used last, then the last npm start.
TIME is 2026-03-02T08:15:00Z, now, or a duration such as 2h: from now on, or back from now where something is looked up.
Exit codes: 0 done, 1 it failed, 2 called wrongly, 3 done in part, 4 not found, 5 not allowed, 6 no answer.`;

export function commandTree(commands: Command[], run: Run): Node {
  const root = new Node(PROGRAM)
    .usage('COMMAND')
    .version(VERSION)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      outputError: (text, write) =>
        write(text.replace(/^error: ./, (start) => start.slice(-1).toUpperCase())),
    })
    .configureHelp({
      padWidth: (node, helper) => Math.min(CALL_WIDTH_MAX, new Help().padWidth(node, helper)),
      optionTerm: ({ flags }) => flags.replace(/[<>]/g, ''),
      subcommandTerm: (leaf) => new Help().commandUsage(leaf).slice(PROGRAM.length).trim(),
      // Help shows everything below a node, suggestions only its own level.
      formatHelp: (node, helper) =>
        new Help().formatHelp(node, Object.assign(helper, { visibleCommands: leavesOf })),
    })
    .addHelpText('afterAll', OF_ALL);
  for (const command of commands) addLeaf(groupOf(root, command), command, run);
  return root;
}

export const childOf = (node: Node, word: string): Node | undefined =>
  node.commands.find((each) => each.name() === word);

/** Whether each word names a command or a group of commands, up to the arguments of a command. */
export function isKnown(node: Node, [word, ...others]: readonly string[]): boolean {
  if (word === undefined || node.commands.length === 0) return true;
  const child = childOf(node, word);
  return child !== undefined && isKnown(child, others);
}

const groupOf = (root: Node, { words }: Command): Node =>
  words.slice(0, -1).reduce((node, word) => childOf(node, word) ?? node.command(word).usage('COMMAND'), root);

function addLeaf(group: Node, command: Command, run: Run): void {
  const { words, args, options = [], summary, details = '', isRemote } = command;
  const leaf = group
    .command(words.at(-1) as string)
    // Commander would replace an empty usage by its own.
    .usage(`${args}${options.length > 0 ? ' [options]' : ''}`.trim() || ' ')
    .description(summary)
    .helpGroup(isRemote ? 'By API, from everywhere' : 'On a machine of the service, with its settings')
    .addHelpText('after', details && `\n${details}`);
  for (const { name, value, help } of options) leaf.addOption(toOption(`--${name}`, value, help));
  addArgs(leaf, `${args} [--json] ${isRemote ? '[--login NAME]' : ''}`);
  leaf.action(() => run(command, inputOf(leaf)));
}

const ARG = /(\[?)(?:(--[a-z-]+)(?: ([^\s\]]+))?|([^\s[\]]+))/g;

/** `ID [--overlap 24h]` has a required positional and an optional option with a value. */
function addArgs(leaf: Node, args: string): void {
  for (const [, bracket, flag, value, name = ''] of args.matchAll(ARG)) {
    const isRequired = bracket === '';
    const word = name.replace('…', '...');
    if (flag === undefined) leaf.argument(isRequired ? `<${word}>` : `[${word}]`);
    else leaf.addOption(toOption(flag, value).makeOptionMandatory(isRequired));
  }
}

function toOption(flag: string, value: string | null = null, help = ''): Option {
  if (value === null) return new Option(flag, help);
  const option = new Option(`${flag} <${value}>`, help);
  if (value.includes('|')) return option.choices(value.split('|'));
  return option.argParser((typed: string) => {
    // Commander would take the next option for the value.
    if (typed === '' || typed.startsWith('--')) throw new UsageError(`${flag} needs a value`);
    return typed;
  });
}

function inputOf(leaf: Node): CommandInput {
  const options = Object.fromEntries(
    leaf.options.map((option) => [option.name(), leaf.getOptionValue(option.attributeName())]),
  );
  return { positionals: leaf.args, options, isJson: options.json === true };
}

const leavesOf = (node: Node): Node[] =>
  node.commands.flatMap((each) => (each.commands.length > 0 ? leavesOf(each) : [each]));
