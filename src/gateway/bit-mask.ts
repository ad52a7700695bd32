/** Sets of positions as the protocol writes them, and whether a number off the wire is in range. */

/** Bit n stands for position n, 0..31. */
export const maskOf = (positions: readonly number[]) =>
  positions.reduce((mask, position) => mask | (1 << position), 0) >>> 0;

/** Ascending. */
export function positionsOf(mask: number): number[] {
  const positions: number[] = [];
  for (let position = 0; position < 32; position++) if ((mask >>> position) & 1) positions.push(position);
  return positions;
}

export const isWithin = (value: number | undefined, min: number, max: number) =>
  value !== undefined && value >= min && value <= max;
/** Whether a mask, which may be missing, has none but its lowest bits set. */
export const hasOnlyBits = (mask: number | undefined, bitCount: number) =>
  isWithin(mask, 0, 2 ** bitCount - 1);
