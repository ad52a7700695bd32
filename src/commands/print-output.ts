/** Prints the output of commands: columns and sentences for people, JSON for programs. */
import { DIRECTIONS } from '../process/markdown-text.ts';
import { type Output, print, type Table } from './command.ts';

export function printOutput(output: Output, isJson: boolean): void {
  if (isJson) print(JSON.stringify(jsonOf(output), null, 2));
  else {
    print(toTerminalText(textOf(output)));
    if (typeof output !== 'string' && 'note' in output) process.stderr.write(`${output.note}\n`);
  }
}

function jsonOf(output: Output): unknown {
  if (typeof output === 'string') return { message: output };
  return 'rows' in output ? (output.items ?? itemsOf(output)) : output.value;
}

const itemsOf = ({ headings, rows }: Table) =>
  rows.map((row) =>
    Object.fromEntries(headings.map((heading, index) => [heading.toLowerCase(), row[index]])),
  );

function textOf(output: Output): string {
  if (typeof output === 'string') return output;
  return 'rows' in output ? columns(output) : output.text;
}

/** Aligned columns, with headings first. */
function columns({ headings, rows }: Table): string {
  const cells = [headings, ...rows.map((row) => row.map((cell) => cell ?? '–'))];
  // As arguments of one call, the rows could be too many.
  const widths = headings.map((_, column) =>
    cells.reduce((width, row) => Math.max(width, (row[column] ?? '').length), 0),
  );
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return cells.map((row) => `${line(row).trimEnd()}\n`).join('');
}

const CONTROLS = /[^\P{Cc}\n\t]/gu;

/** Text of others, such as the response of a receiver, without characters that steer a terminal or turn the text. */
export const toTerminalText = (text: string): string => text.replace(CONTROLS, '�').replace(DIRECTIONS, '�');
