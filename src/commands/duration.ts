/** Durations as people type them. */

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

/** Converts `90d`, `24h`, `30m`, `10s` to milliseconds; null for any other text. */
export function parseDurationMs(text: string): number | null {
  const match = /^(\d{1,6})([dhms])$/.exec(text);
  return match && Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
}
