/** Channels of the same kind of several devices, for one chart of each kind. */
import { grouped } from '../process/grouped.ts';
import { type Channel, titleOf } from './record-text.ts';
import type { Statistics } from './statistics.service.ts';

export interface ComparedChannel {
  statistics: Statistics;
  channel: Channel;
  color: string;
  /** Length of strokes and spaces, so that lines differ without their colour; null: a whole line. */
  dash: { length: number; space: number } | null;
}

/** By device; in the colours of the page. */
const LOOKS = [
  { color: '#0f766e', dash: null },
  { color: '#b45309', dash: { length: 9, space: 3 } },
  { color: '#4338ca', dash: { length: 2, space: 3 } },
  { color: '#be185d', dash: { length: 5, space: 2 } },
  { color: '#475569', dash: { length: 16, space: 5 } },
];
export const COMPARED_MAX = LOOKS.length - 1;

/** Kinds in the order of the first device that has them. */
export function compareChannels(
  records: readonly Statistics[],
): Array<{ title: string; lines: ComparedChannel[] }> {
  const all = records.flatMap((statistics, index) => {
    const look = LOOKS[index] as (typeof LOOKS)[number];
    return statistics.channels.map((channel) => ({ statistics, channel, ...look }));
  });
  const kinds = grouped(all, ({ channel }) => titleOf(channel));
  return [...kinds].map(([title, lines]) => ({ title, lines }));
}
