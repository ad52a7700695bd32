/** Which stored readings have to be looked at because of late ones: none where all of these are within their bounds. */
import type { ClassifiedReading } from '../measurements/reading.ts';
import { breachOf } from './alert-state-machine.ts';
import type { TemperatureAlert } from './late-excursions.ts';
import type { RulesInForce } from './rules-in-force.ts';

/** Unix milliseconds, both included. */
export interface Range {
  from: number;
  to: number;
}

export interface FreshReadings {
  channel: number;
  /** Those that came late; all where an excursion is not known to be over. */
  fresh: readonly ClassifiedReading[];
  /** Where the newest readings before these are part of an excursion in late data, the last of them, in Unix milliseconds. */
  unendedAt: number | null;
}

/** As far as rules without a delay need: what is farther away is known from the alerts. */
const LOOK_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Oldest first, and apart from each other. */
export function toRanges(
  { channel, fresh, unendedAt }: FreshReadings,
  rules: readonly RulesInForce[],
  alerts: readonly TemperatureAlert[],
): Range[] {
  const delayMs = longestDelayMinutes(channel, rules) * MINUTE_MS;
  const lookMs = LOOK_MS + delayMs;
  const ranges: Range[] = unendedAt === null ? [] : [around(unendedAt, lookMs)];
  for (const reading of fresh) {
    const at = reading.measuredAt.getTime();
    if (unendedAt !== null || isInBreach(reading, rules) || (reading.value === null && delayMs > 0))
      ranges.push(around(at, lookMs));
    // One within the bounds may split it, and then all of it counts.
    else if (reading.value !== null)
      for (const { startedAt, endedAt } of alerts.filter((alert) => isSplitBy(alert, channel, at)))
        ranges.push({ from: startedAt, to: endedAt ?? at }, around(at, lookMs));
  }
  return joined(ranges);
}

const around = (at: number, lookMs: number): Range => ({ from: at - lookMs, to: at + lookMs });

const longestDelayMinutes = (channel: number, rules: readonly RulesInForce[]): number =>
  rules
    .flatMap(({ definitions }) => definitions)
    .reduce(
      (longest, each) => (each.channel === channel ? Math.max(longest, each.delayMinutes) : longest),
      0,
    );

function isInBreach(
  { channel, value, measuredAt }: ClassifiedReading,
  rules: readonly RulesInForce[],
): boolean {
  if (value === null) return false;
  const inForce = rules.findLast(({ from }) => from <= measuredAt.getTime());
  return (inForce?.definitions ?? []).some(
    (each) => each.channel === channel && breachOf(each.bounds, value) !== null,
  );
}

const isSplitBy = (
  { late, channel, startedAt, endedAt }: TemperatureAlert,
  of: number,
  at: number,
): boolean => late && channel === of && startedAt < at && (endedAt === null || at < endedAt);

function joined(ranges: Range[]): Range[] {
  const apart: Range[] = [];
  for (const { from, to } of ranges.sort((a, b) => a.from - b.from)) {
    const last = apart.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else apart.push({ from, to });
  }
  return apart;
}
