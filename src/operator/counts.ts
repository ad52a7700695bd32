export const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/** Devices in contact, and those of an outage, are counted to one more than the start page tells apart. */
export const IN_CONTACT_MAX = 10_001;
