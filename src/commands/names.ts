/** Names in arguments of commands, by the rule of the API. */
import { isOneLine, isVisible } from '../http/one-line.ts';

/** Counts code points, as PostgreSQL and JSON Schema do. */
export const isName = (text: string, charactersMax: number): boolean =>
  isVisible(text) && [...text].length <= charactersMax && isOneLine(text);

export const nameRule = (charactersMax: number): string => `1 to ${charactersMax} characters, in one line`;
