/** One table per bench, in text that can be pasted. */
export type Cell = string | number;

export function printTable(title: string, headings: string[], rows: Cell[][]): void {
  const cells = [headings, ...rows.map((row) => row.map(String))];
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  const [head, ...body] = cells as [string[], ...string[][]];
  process.stdout.write(
    `\n${title} (Node.js ${process.versions.node})\n\n${[line(head), rule, ...body.map(line)].join('\n')}\n`,
  );
}

export const round = (value: number, digits = 1): number => Number(value.toFixed(digits));
