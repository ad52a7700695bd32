import type { ConfigJob } from '../../client/src/index.ts';

const WIDE = 100;
const BAR_MAX = 40;
const AROUND = 60;

/** `████▌     45 % · 90 applied, 100 waiting, 10 sent` */
export function progressLine({ counts, total, status }: ConfigJob, columns = WIDE): string {
  const settled = counts.applied + counts.failed + counts.timedOut + counts.cancelled + counts.superseded;
  const share = total === 0 ? 1 : settled / total;
  const parts = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state === 'timedOut' ? 'timed out' : state}`);
  const bar = barOf(share, Math.max(10, Math.min(BAR_MAX, columns - AROUND)));
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)} % · ${parts.join(', ') || status}`;
}

/** Blocks in eighths of a character. */
const PARTS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

function barOf(share: number, width: number): string {
  const eighths = Math.floor(share * width * 8);
  return `${'█'.repeat(Math.floor(eighths / 8))}${PARTS[eighths % 8]}`.padEnd(width);
}
