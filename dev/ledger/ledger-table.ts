/** Output of the ledger: a line while it runs, and a table at its end. */
import type { FaultCounts } from './inject-faults.ts';
import type { Verdict } from './oracle.ts';

export interface Progress {
  seconds: number;
  faults: FaultCounts;
  up: string;
  readings: { sent: number; acknowledged: number };
  jobs: number;
  receipts: number;
  memoryMb: number;
  repeats: number;
}

export function progressLine(progress: Progress): string {
  const { seconds, faults, up, readings, jobs, receipts, memoryMb, repeats } = progress;
  const { kill, term, stop, database, temporal } = faults;
  return [
    `${String(seconds).padStart(4)} s`,
    `${up} up`,
    `killed ${kill} ended ${term} stopped ${stop} postgres ${database} temporal ${temporal}`,
    `readings ${readings.acknowledged}/${readings.sent}`,
    `jobs ${jobs}`,
    `webhooks ${receipts}`,
    `${memoryMb} MB`,
    `repeated ${repeats}`,
  ].join(' | ');
}

const SHOWN_MAX = 12;

export function verdictTable({ checked, findings }: Verdict): string {
  const rows = checked.map(([about, count]) => {
    const wrong = findings.filter((finding) => finding.about === about).length;
    return `  ${about.padEnd(12)} ${String(count).padStart(8)}   ${wrong === 0 ? 'as they should be' : `${wrong} wrong`}`;
  });
  const shown = findings.slice(0, SHOWN_MAX).map(({ about, text }) => `  ${about}: ${text}`);
  const more =
    findings.length > SHOWN_MAX ? [`  … and ${findings.length - SHOWN_MAX} more in findings.json`] : [];
  return ['', ...rows, '', ...shown, ...more].join('\n');
}
