/** Names in arguments of commands, by the rule of the API. */
import { isOneLine, isVisible, toName } from '../http/one-line.ts';
import { UsageError } from './command.ts';

/**
 * The name as it is stored. Counts code points, as PostgreSQL and JSON Schema do.
 * @throws UsageError
 */
export function parseName(typed: string, argument: string, charactersMax = 128): string {
  const name = toName(typed);
  if (isVisible(name) && [...name].length <= charactersMax && isOneLine(name)) return name;
  throw new UsageError(`${argument} must have 1 to ${charactersMax} characters, in one line`);
}
