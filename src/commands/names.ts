/** Names as commands take them, by the rule of the API. */
import { isOneLine, isVisible } from '../http/one-line.ts';

/** By code points, as PostgreSQL and JSON Schema count. */
export const isName = (text: string, charactersMax: number): boolean =>
  isVisible(text) && [...text].length <= charactersMax && isOneLine(text);

export const nameRule = (charactersMax: number): string => `1 to ${charactersMax} characters, in one line`;
