/**
 * Ranges of stored readings that have to be read because of late ones; none if all late ones are within their
 * bounds.
 */
import type { AssetRef } from '../devices/asset-ref.ts';
import { INTERVALS_HELD } from '../devices/configuration.ts';
import { TEMPERATURE } from '../devices/device-capabilities.ts';
import type { ClassifiedReading } from '../devices/reading.ts';
import type { ReceivedFrame } from '../measurements/frame.ts';
import { DAY_MS, MINUTE_MS } from '../process/durations.ts';
import { isActiveAt } from './alert-definition.ts';
import { breachOf } from './alert-state-machine.ts';
import { createAlertsByTime } from './by-time.ts';
import type { UnendedExcursion } from './device-alerts.ts';
import { areSameTerms, type ExcursionTerms } from './excursions.ts';
import type { TemperatureAlert } from './late-excursions.ts';
import type { RulesInForce } from './rules-in-force.ts';

/** Unix milliseconds, both included. */
export interface Range {
  from: number;
  to: number;
}

interface FreshReadings {
  channel: number;
  /** Late readings; all readings where an excursion may still go on. */
  fresh: readonly ClassifiedReading[];
  /** The last of the earlier readings if it is part of an excursion in late data, in Unix milliseconds. */
  unendedAt: number | null;
}

/** Enough for rules without a delay; the alerts tell about readings farther away. */
const LOOK_MS = 3_600_000;

/** How far an alert that is not late may have been begun earlier, so that a late reading within its bounds is looked at. */
const SPLIT_MAX_MS = 7 * DAY_MS;

/** Ordered by time, without overlaps. */
export function toRanges(
  { channel, fresh, unendedAt }: FreshReadings,
  rules: readonly RulesInForce[],
  alerts: readonly TemperatureAlert[],
): Range[] {
  const delayMs = longestDelayMinutes(channel, rules) * MINUTE_MS;
  const lookMs = delayMs === 0 ? LOOK_MS : delayMs + longestGapMs(rules);
  // Whether the excursion still goes on is found out anew with each frame.
  const ranges: Range[] = unendedAt === null ? [] : [around(unendedAt, lookMs)];
  const byTime = createAlertsByTime(alerts);
  for (const reading of fresh.toSorted((a, b) => a.measuredAt.getTime() - b.measuredAt.getTime())) {
    const at = reading.measuredAt.getTime();
    const breaches = breachesOf(reading, rules);
    // Only sensor errors can be stored between the newest sample and later ones.
    if (unendedAt !== null && at >= unendedAt) ranges.push({ from: unendedAt - lookMs, to: at + lookMs });
    else if (breaches.length > 0 || (reading.value === null && delayMs > 0)) ranges.push(around(at, lookMs));
    // A reading that may split an excursion requires all of its readings; of an alert that is not late, those before it.
    for (const alert of byTime.within(at, at))
      if (isSplitBy(alert, reading, breaches))
        ranges.push(
          { from: alert.startedAt, to: (alert.late ? alert.endedAt : null) ?? at },
          around(at, lookMs),
        );
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

/** Breaches that have not lasted their delay continue over gaps up to this. */
const longestGapMs = (rules: readonly RulesInForce[]): number =>
  Math.min(
    DAY_MS,
    rules.reduce(
      (longest, { periodSeconds }) => Math.max(longest, INTERVALS_HELD * (periodSeconds ?? 0) * 1_000),
      LOOK_MS,
    ),
  );

/** The terms that the reading breaches. */
function breachesOf(
  { channel, value, measuredAt }: ClassifiedReading,
  rules: readonly RulesInForce[],
): ExcursionTerms[] {
  if (value === null) return [];
  const inForce = rules.findLast(({ from }) => from <= measuredAt.getTime());
  return (inForce?.definitions ?? []).flatMap((each) => {
    const type = breachOf(each.bounds, value);
    return type !== null && each.channel === channel && isActiveAt(each, measuredAt)
      ? [{ ...each, type }]
      : [];
  });
}

function isSplitBy(
  alert: TemperatureAlert,
  { value, measuredAt }: ClassifiedReading,
  breaches: ExcursionTerms[],
): boolean {
  const at = measuredAt.getTime();
  const isWithin = alert.startedAt < at && (alert.endedAt === null || at < alert.endedAt);
  const isSplit = alert.late || at - alert.startedAt <= SPLIT_MAX_MS;
  return isSplit && isWithin && value !== null && !breaches.some((each) => areSameTerms(each, alert));
}

function joined(ranges: Range[]): Range[] {
  const apart: Range[] = [];
  for (const { from, to } of ranges.sort((a, b) => a.from - b.from)) {
    const last = apart.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else apart.push({ from, to });
  }
  return apart;
}

/** The readings of a device's frames that have to be evaluated by the settings in force at their time. */
export interface LateDevice extends AssetRef {
  serialNumber: string;
  channels: LateChannel[];
  /** No stored reading is newer; null: unknown. */
  latestAt: number | null;
}

export interface LateChannel extends FreshReadings {
  /** Time of the newest sample, in Unix milliseconds. */
  newestAt: number | null;
}

/** Null for most devices: no temperature is late or continues an excursion in late data. */
export function toLateDevice(
  { device, state, fresh: all }: ReceivedFrame,
  unended: readonly UnendedExcursion[],
): LateDevice | null {
  const unendedAt = new Map(unended.map((each) => [each.channel, each.unendedAt]));
  const fresh = all.filter(
    ({ type, late, channel }) => type === TEMPERATURE && (late || unendedAt.has(channel)),
  );
  if (fresh.length === 0) return null;
  const channels = [...new Set(fresh.map(({ channel }) => channel))].map(
    (channel): LateChannel => ({
      channel,
      fresh: fresh.filter((reading) => reading.channel === channel),
      unendedAt: unendedAt.get(channel) ?? null,
      newestAt: state.newestReadingAt[channel] ?? null,
    }),
  );
  const { organizationId, assetId, serialNumber } = device;
  return {
    organizationId,
    assetId,
    serialNumber,
    channels,
    latestAt: state.latestMeasuredAt?.getTime() ?? null,
  };
}
