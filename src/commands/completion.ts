/** Completion for shells, from the commands themselves. */
import { type Command, optionsOf } from './command.ts';

export type Shell = 'bash' | 'zsh' | 'fish';
export const SHELLS: Shell[] = ['bash', 'zsh', 'fish'];

/** What may follow the words that were typed; the last one is unfinished. */
export function candidates(commands: Command[], typed: string[]): string[] {
  const [unfinished = '', ...before] = typed.toReversed();
  const done = before.toReversed();
  const next = commands
    .filter(({ words }) => words.length > done.length && done.every((word, index) => words[index] === word))
    .map(({ words }) => words[done.length] as string);
  const found = commands.find(({ words }) => words.every((word, index) => done[index] === word));
  const options = found ? Object.keys(optionsOf(found)).map((name) => `--${name}`) : [];
  const all = [...new Set([...next, ...options])];
  return all.filter((each) => each.startsWith(unfinished)).sort();
}

/** Each asks the command itself, so it never lists what a version does not have. */
export const SCRIPTS: Record<Shell, string> = {
  bash: `_dms() { local IFS=$'\\n'; COMPREPLY=($(dms complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}")); }
complete -o default -F _dms dms`,
  zsh: `_dms() { compadd -- \${(f)"$(dms complete -- "\${(@)words[2,CURRENT]}")"} }
compdef _dms dms`,
  fish: `complete -c dms -f -a '(dms complete -- (commandline -opc)[2..] (commandline -ct))'`,
};
