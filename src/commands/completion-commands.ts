import { type Command, required, UsageError } from './command.ts';
import { childOf, commandTree } from './command-tree.ts';

/** `commands` is passed in, because it includes these two. */
export const completionCommands = (commands: () => Command[]): Command[] => [
  {
    words: ['completion'],
    args: 'SHELL',
    summary: 'print the completion for bash, zsh or fish, for a command named dms',
    details: `An alias is enough: alias dms='npm run -s dms --'
Then, for bash: source <(dms completion bash)`,
    run: async (input) => {
      const shell = required(input, 0, 'SHELL');
      if (Object.hasOwn(SCRIPTS, shell)) return SCRIPTS[shell];
      throw new UsageError(`SHELL must be ${Object.keys(SCRIPTS).join(', ')}`);
    },
  },
  {
    words: ['complete'],
    args: '[WORD…]',
    summary: 'list what may follow; shells call it',
    run: async ({ positionals }) => candidates(commands(), positionals).join('\n'),
  },
];

/** Candidates for the last of the typed words, which is unfinished. */
function candidates(commands: Command[], typed: string[]): string[] {
  const root = commandTree(commands, async () => {});
  const node = typed.slice(0, -1).reduce((found, word) => childOf(found, word) ?? found, root);
  const started = node.options.find(({ long, required }) => required && long === typed.at(-2));
  const all = started
    ? (started.argChoices ?? [])
    : [...node.commands.map((each) => each.name()), ...node.options.map(({ long }) => long ?? '')];
  return all.filter((each) => each.startsWith(typed.at(-1) ?? '')).sort();
}

/** Each calls the command itself, so it always matches the installed version. */
const SCRIPTS: Record<string, string> = {
  bash: `_dms() { local IFS=$'\\n'; COMPREPLY=($(dms complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}")); }
complete -o default -F _dms dms`,
  zsh: `_dms() { compadd -- \${(f)"$(dms complete -- "\${(@)words[2,CURRENT]}")"} }
compdef _dms dms`,
  fish: `complete -c dms -f -a '(dms complete -- (commandline -opc)[2..] (commandline -ct))'`,
};
