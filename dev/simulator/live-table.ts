/** Shows a fleet's counts: a table that is redrawn in place on a terminal, single lines elsewhere. */
import type { FleetStats } from './fleet-stats.ts';

export interface LiveTable {
  show(stats: FleetStats): void;
}

const UP_AND_CLEAR = (lines: number) => `\x1b[${lines}A\x1b[0J`;

export function createLiveTable(write: (text: string) => void, isTerminal: boolean): LiveTable {
  let drawn = 0;
  return {
    show(stats) {
      if (!isTerminal) return write(`${lineOf(stats)}\n`);
      const rows = tableOf(stats);
      write(`${drawn > 0 ? UP_AND_CLEAR(drawn) : ''}${rows.join('\n')}\n`);
      drawn = rows.length;
    },
  };
}

export function tableOf(stats: FleetStats): string[] {
  const { devices, mute, online, sent, acknowledged, lost, ackMs, configurations, readings } = stats;
  const rows: Array<[string, string]> = [
    ['Devices', `${devices}: ${online} online, ${devices - mute - online} not, ${mute} mute`],
    ['Messages sent', `${sent.con} CON, ${sent.non} NON`],
    ['Acknowledged', `${acknowledged}, lost ${lost}`],
    ['Acknowledged in', `p50 ${milliseconds(ackMs.p50)}, p95 ${milliseconds(ackMs.p95)}`],
    [
      'Configurations',
      `${configurations.applied} applied, ${configurations.refused} refused, ${configurations.waiting} waiting for the service to confirm`,
    ],
    ['Readings sent', String(readings)],
    ['Errors', errorsOf(stats)],
  ];
  return rows.map(([name, value]) => `  ${name.padEnd(16)} ${value}`);
}

export function lineOf(stats: FleetStats): string {
  const { devices, online, sent, acknowledged, lost, ackMs, configurations, readings } = stats;
  return [
    `${online}/${devices} online`,
    `${sent.con} CON ${sent.non} NON`,
    `${acknowledged} acknowledged ${lost} lost`,
    `p50 ${milliseconds(ackMs.p50)} p95 ${milliseconds(ackMs.p95)}`,
    `configurations ${configurations.applied} applied ${configurations.refused} refused ${configurations.waiting} waiting`,
    `${readings} readings`,
    `errors: ${errorsOf(stats)}`,
  ].join(' | ');
}

const milliseconds = (ms: number | null) =>
  ms === null ? '–' : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;

function errorsOf({ errors }: FleetStats): string {
  const entries = Object.entries(errors).sort(([, a], [, b]) => b - a);
  return entries.length === 0 ? 'none' : entries.map(([kind, count]) => `${kind} ${count}`).join(', ');
}
