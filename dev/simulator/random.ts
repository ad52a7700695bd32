/** Pseudo-random numbers from a seed, so a run can be repeated. */
/**
 *
 * 0..1, another number at each call.
 */
export function createRandom(seed: number): () => number {
  let drawn = 0;
  return () => noise(seed, drawn++);
}

/** 0..1, always the same for the same two numbers. */
export function noise(seed: number, index: number): number {
  let bits = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
  bits = Math.imul(bits ^ (bits >>> 12), 0x297a2d39);
  return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
}
