/** Draws numbers as a line in a terminal. */

const STEPS = [...'▁▂▃▄▅▆▇█'];

/** A character for each of the last values, from the lowest to the highest; a space for a missing one. */
export function curveOf(values: Array<number | null>, width: number): string {
  const shown = values.slice(-width);
  const numbers = shown.filter((value) => value !== null);
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const stepOf = (value: number) =>
    high === low
      ? STEPS[0]
      : STEPS[Math.min(STEPS.length - 1, Math.floor(((value - low) / (high - low)) * STEPS.length))];
  return shown.map((value) => (value === null ? ' ' : stepOf(value))).join('');
}
