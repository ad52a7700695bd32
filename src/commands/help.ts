/** Help, made from the commands themselves. */
import { type Command, callOf } from './command.ts';

const OPTIONS = `Every command takes --json, for programs, and --help.
Commands by API take --login NAME; without it DMS_URL and DMS_KEY decide, then the login used last, then the last npm start.
Exit codes: 0 done, 1 it failed, 2 it was called wrongly. Further ones stand in the help of a command.
`;

/** Of all commands, or of those that begin with some words. */
export function helpOf(commands: Command[]): string {
  const [only] = commands;
  if (only && commands.length === 1) return helpOfOne(only);
  const widthOf = (command: Command) => callOf(command).length;
  const width = Math.min(48, Math.max(...commands.map(widthOf)));
  const section = (title: string, some: Command[]) =>
    some.length === 0 ? '' : `${title}\n${some.map((each) => lineOf(each, width)).join('')}\n`;
  return `npm run dms -- COMMAND

${section(
  'By API, from everywhere',
  commands.filter(({ isRemote }) => isRemote),
)}${section(
  'On a machine of the service, with its settings',
  commands.filter(({ isRemote }) => !isRemote),
)}${OPTIONS}`;
}

function lineOf(command: Command, width: number): string {
  const call = callOf(command);
  if (call.length <= width) return `  ${call.padEnd(width)}  ${command.summary}\n`;
  return `  ${call}\n  ${' '.repeat(width)}  ${command.summary}\n`;
}

const helpOfOne = (command: Command): string =>
  `npm run dms -- ${callOf(command)}\n\n${command.summary}\n${command.details ? `\n${command.details.trim()}\n` : ''}\n${OPTIONS}`;
