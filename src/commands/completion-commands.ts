import { type Command, UsageError } from './command.ts';
import { candidates, SCRIPTS, SHELLS } from './completion.ts';

/** `commands` is passed in, because it includes these two. */
export const completionCommands = (commands: () => Command[]): Command[] => [
  {
    words: ['completion'],
    args: 'SHELL',
    summary: 'print the completion for bash, zsh or fish, for a command named dms',
    details: `An alias is enough: alias dms='npm run -s dms --'
Then, for bash: source <(dms completion bash)`,
    run: async ({ positionals: [shell] }) => {
      const found = SHELLS.find((each) => each === shell);
      if (!found) throw new UsageError(`SHELL must be ${SHELLS.join(', ')}`);
      return SCRIPTS[found];
    },
  },
  {
    words: ['complete'],
    args: '[WORD…]',
    summary: 'list what may follow; shells call it',
    run: async ({ positionals }) => candidates(commands(), positionals).join('\n'),
  },
];
