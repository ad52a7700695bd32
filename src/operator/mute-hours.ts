/** Lengths of a maintenance that the forms offer. */
export const MUTE_HOURS = [1, 2, 4, 8, 24, 72, 168] as const;
