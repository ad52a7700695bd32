/** Completion for shells, derived from the commands. */
import type { Command } from './command.ts';
import { childOf, commandTree } from './command-tree.ts';

export type Shell = 'bash' | 'zsh' | 'fish';
export const SHELLS: Shell[] = ['bash', 'zsh', 'fish'];

/** Candidates for the last of the typed words, which is unfinished. */
export function candidates(commands: Command[], typed: string[]): string[] {
  const root = commandTree(commands, async () => {});
  const node = typed.slice(0, -1).reduce((found, word) => childOf(found, word) ?? found, root);
  const all = [...node.commands.map((each) => each.name()), ...node.options.map(({ long }) => long ?? '')];
  return all.filter((each) => each.startsWith(typed.at(-1) ?? '')).sort();
}

/** Each calls the command itself, so it always matches the installed version. */
export const SCRIPTS: Record<Shell, string> = {
  bash: `_dms() { local IFS=$'\\n'; COMPREPLY=($(dms complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}")); }
complete -o default -F _dms dms`,
  zsh: `_dms() { compadd -- \${(f)"$(dms complete -- "\${(@)words[2,CURRENT]}")"} }
compdef _dms dms`,
  fish: `complete -c dms -f -a '(dms complete -- (commandline -opc)[2..] (commandline -ct))'`,
};
