/** Figures that a bench keeps beside its table, for `npm run bench:figures`, which names the file. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** By name; the unit is that of the list in `bench/figures.ts`. */
export type Figures = Record<string, number>;

export function keepFigures(figures: Figures): void {
  const file = process.env.FIGURES_FILE;
  if (file) appendFileSync(file, `${JSON.stringify(figures)}\n`);
}

/** In the order in which they were kept. */
export const readFigures = (file: string): Figures[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Figures)
    : [];
