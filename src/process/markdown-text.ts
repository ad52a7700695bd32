/**
 * Text of customers for the Temporal UI, which renders Markdown: a name must not become a link, an image or a heading
 * there, nor turn the direction of the text around it.
 */

/** Letters, digits and signs that mean nothing in Markdown, wherever they stand. */
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ,'()-]*$/u;
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** The marks, embeddings, overrides and isolates of the Unicode bidirectional algorithm. */
export const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** As one line without directions. */
export const toOneLine = (text: string): string => text.replace(DIRECTIONS, '').replace(CONTROLS, ' ');

/** As a reader of Markdown sees it character by character: whatever is not plain stands as code. */
export function toMarkdownText(text: string): string {
  const line = toOneLine(text);
  return line === '' || PLAIN.test(line) ? line : `\`${line.replaceAll('`', "'")}\``;
}
