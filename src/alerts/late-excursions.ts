/**
 * Decides which alerts late readings create, and which they extend. An excursion that contains late readings
 * becomes an alert that is over; its first reading identifies it. An excursion that overlaps the time of an
 * alert that is not late belongs to that alert, and may move its beginning.
 *
 * Only readings around the late ones are read: alerts that reach beyond them keep their ends.
 */

import type { StoredReading } from '../devices/reading.ts';
import { grouped } from '../process/grouped.ts';
import { memoized } from '../process/memoized.ts';
import { partitionPoint } from '../process/partition-point.ts';
import { breachOf, latestOfEach } from './alert-state-machine.ts';
import { type AlertsByTime, createAlertsByTime, createFindExcursion, type FindExcursion } from './by-time.ts';
import {
  type Excursion,
  type ExcursionTerms,
  findExcursions,
  keyOfTerms,
  type Sample,
  termsOf,
  toSamples,
} from './excursions.ts';
import type { RulesInForce } from './rules-in-force.ts';

/** All times are Unix milliseconds. */
export interface TemperatureAlert extends ExcursionTerms {
  /** Null: not stored yet. */
  alertId: string | null;
  late: boolean;
  startedAt: number;
  /** Null: open. */
  endedAt: number | null;
  /** °C; value of the first reading. */
  value: number;
  /** Null for an alert that is not late. */
  extreme: { at: number; value: number } | null;
}

interface ChannelHistory {
  /** Stretches without gaps: all stored readings between the first and the last one of each, oldest first. */
  stretches: ReadonlyArray<readonly StoredReading[]>;
  rules: readonly RulesInForce[];
  /** Alerts of the channel; alerts that do not overlap the readings may be missing. */
  alerts: readonly TemperatureAlert[];
  /** Time of the newest stored sample, in Unix milliseconds; null: there is none. */
  newestAt: number | null;
}

export interface LatePlan {
  /** Only the latest ones of the same terms. */
  made: TemperatureAlert[];
  lengthened: TemperatureAlert[];
  /**
   * Time of the newest sample if it is part of an excursion in late data, because later readings then have to
   * be evaluated, too.
   */
  unendedAt: number | null;
  /** Whether an excursion may continue beyond the readings. */
  isCut: boolean;
}

export function planLateExcursions({ stretches, rules, alerts: stored, newestAt }: ChannelHistory): LatePlan {
  const alerts = stored.map((alert) => ({ ...alert }));
  const byTime = createAlertsByTime(alerts);
  let unendedAt: number | null = null;
  let isCut = false;
  for (const readings of stretches) {
    const stretch = toStretch(readings, newestAt);
    if (stretch === null) continue;
    const near = byTime.within(stretch.firstAt, stretch.lastAt);
    const open = byStart(near.filter((alert) => isOpenBefore(alert, stretch.firstAt)));
    const { found, hasUnopenedLateBreach } = findExcursions({ readings, ...stretch }, rules, open);
    const samples = toSamples(readings);
    const findExcursion = createFindExcursion(found);
    const timelyBreachesOf = memoized(keyOfTerms, (terms: ExcursionTerms) =>
      toTimelyBreaches(samples, terms),
    );
    const isBegunBeyond = near
      .filter((alert) => isLive(alert) && alert.startedAt >= stretch.firstAt)
      .map((alert) => beginLater(alert, findExcursion, timelyBreachesOf));
    const known = toMatches(near, found, findExcursion);
    const isUnended = found.map((excursion) => applyExcursion(excursion, stretch, known)).includes(true);
    for (const alert of near) if (isUnsupported(alert, stretch, known)) shorten(alert, samples);
    for (const made of known.made) {
      alerts.push(made);
      byTime.add(made);
    }
    if (stretch.isNewest && (isUnended || hasUnopenedLateBreach)) unendedAt = stretch.lastAt;
    if (!stretch.isNewest && (isUnended || isBegunBeyond.includes(true))) isCut = true;
  }
  const changed = alerts.filter((alert, index) => hasChanged(alert, stored[index]));
  return {
    made: latestOfEach(
      changed.filter(({ alertId }) => alertId === null),
      keyOfTerms,
    ),
    lengthened: changed.filter(({ alertId }) => alertId !== null),
    unendedAt,
    isCut,
  };
}

interface Stretch {
  firstAt: number;
  /** Time of the last sample. */
  lastAt: number;
  /** Whether no later sample is stored. */
  isNewest: boolean;
}

function toStretch(readings: readonly StoredReading[], newestAt: number | null): Stretch | null {
  const first = readings[0];
  const last = readings.findLast(({ value }) => value !== null);
  if (!first || !last) return null;
  const lastAt = last.measuredAt.getTime();
  return { firstAt: first.measuredAt.getTime(), lastAt, isNewest: newestAt === null || lastAt >= newestAt };
}

const isOpenBefore = ({ startedAt, endedAt }: TemperatureAlert, at: number): boolean =>
  startedAt < at && (endedAt === null || endedAt >= at);

const byStart = (alerts: TemperatureAlert[]) => alerts.sort((a, b) => a.startedAt - b.startedAt);

interface Matches {
  /** Alerts of the same terms. */
  alertsOf(terms: ExcursionTerms): AlertsByTime<TemperatureAlert>;
  made: TemperatureAlert[];
  /** Late alerts whose excursion is found. */
  matched: Set<TemperatureAlert>;
  /** Whether the beginning of the alert is part of an excursion. */
  hasBeginning(alert: TemperatureAlert): boolean;
}

function toMatches(
  near: readonly TemperatureAlert[],
  found: readonly Excursion<TemperatureAlert>[],
  findExcursion: FindExcursion<TemperatureAlert>,
): Matches {
  const byTerms = grouped(near, keyOfTerms);
  const carried = new Set(found.map((each) => each.carried));
  return {
    alertsOf: memoized(keyOfTerms, (terms) => createAlertsByTime(byTerms.get(keyOfTerms(terms)) ?? [])),
    made: [],
    matched: new Set(),
    hasBeginning: (alert) => carried.has(alert) || findExcursion(alert, alert.startedAt) !== undefined,
  };
}

/** Returns whether it is an excursion in late data that the next reading may extend. */
function applyExcursion(excursion: Excursion<TemperatureAlert>, stretch: Stretch, known: Matches): boolean {
  const { made, matched } = known;
  const { carried, startedAt, endedAt, last, breaches } = excursion;
  const alerts = known.alertsOf(excursion);
  const overlapping = byStart(
    alerts.within(startedAt, last.at).filter((alert) => overlaps(alert, excursion, known)),
  );
  const live = overlapping.find(isLive) ?? null;
  const late = carried ?? overlapping.find((alert) => !isLive(alert) && !matched.has(alert)) ?? null;
  if (late && !isLive(late)) {
    matched.add(late);
    lengthen(late, excursion, { stretch, overlapping });
  } else if (live) beginEarlier(live, excursion);
  else if (!carried && isOver(excursion, stretch)) {
    const alert = toAlert(excursion);
    alerts.add(alert);
    made.push(alert);
    matched.add(alert);
  }
  const isLate = late !== null || breaches.some((each) => each.late);
  const isEnded = endedAt !== null && endedAt <= stretch.lastAt;
  return !isEnded && live === null && isLate && !continuesBeyond(alerts, excursion, stretch);
}

/** Whether a stored alert of the same terms lasts beyond the readings. */
const continuesBeyond = (
  alerts: AlertsByTime<TemperatureAlert>,
  { startedAt }: Excursion<TemperatureAlert>,
  { lastAt }: Stretch,
): boolean =>
  alerts
    .within(startedAt, lastAt)
    .some((alert) => alert.startedAt <= lastAt && (alert.endedAt === null || alert.endedAt > lastAt));

const isLive = ({ late }: TemperatureAlert): boolean => !late;

/**
 * A late alert matches the excursion that contains its first reading. If no excursion does, and for alerts
 * that are not late, the alert matches by overlap with the time it was open.
 */
function overlaps(
  alert: TemperatureAlert,
  { startedAt, last }: Excursion<TemperatureAlert>,
  { hasBeginning }: Matches,
): boolean {
  if (alert.startedAt > last.at) return false;
  if (alert.late && hasBeginning(alert)) return alert.startedAt >= startedAt;
  // An alert that began by a fast clock may have ended before its begin, and then ends with it.
  if (alert.startedAt === startedAt) return true;
  return alert.endedAt === null || alert.endedAt > startedAt;
}

/**
 * An excursion without late readings in breach makes no alert. An excursion that ends with timely readings in
 * breach is not over: these open an alert when they have lasted the delay.
 */
function isOver(
  { endedAt, last, breaches }: Excursion<TemperatureAlert>,
  { isNewest }: Pick<Stretch, 'isNewest'>,
): boolean {
  if (!breaches.some(({ late }) => late)) return false;
  return endedAt !== null || !isNewest || last.late || last.at !== breaches.at(-1)?.at;
}

const toAlert = (excursion: Excursion<TemperatureAlert>): TemperatureAlert => ({
  ...termsOf(excursion),
  alertId: null,
  late: true,
  startedAt: excursion.startedAt,
  endedAt: excursion.endedAt ?? excursion.last.at,
  value: (excursion.breaches[0] as Sample).value,
  extreme: extremeOf(excursion.type, excursion.breaches),
});

interface Surroundings {
  stretch: Stretch;
  /** Alerts of the same terms, ordered by their beginning. */
  overlapping: TemperatureAlert[];
}

/**
 * Extends the alert over the part of the excursion before the next alert that is not late; its part beyond
 * the readings stays.
 */
function lengthen(
  alert: TemperatureAlert,
  { carried, startedAt, endedAt, last, breaches, type }: Excursion<TemperatureAlert>,
  { stretch, overlapping }: Surroundings,
): void {
  const [first] = breaches;
  if (!carried && first) Object.assign(alert, { startedAt, value: first.value });
  const known = stretch.isNewest ? [] : [alert, ...overlapping.filter((each) => !isLive(each))];
  const end = endedAt ?? known.reduce((latest, each) => Math.max(latest, each.endedAt ?? 0), last.at);
  const next = overlapping.find((each) => isLive(each) && each.startedAt > alert.startedAt);
  alert.endedAt = Math.min(end, next?.startedAt ?? end);
  const before = alert.extreme;
  const isBeyond = before !== null && (before.at < stretch.firstAt || before.at > stretch.lastAt);
  const within = breaches.filter(({ at }) => at < (next?.startedAt ?? Number.POSITIVE_INFINITY));
  alert.extreme = extremeOf(type, isBeyond ? [before, ...within] : within) ?? before;
}

/** Moves the beginning of the alert to late readings in breach before it. */
function beginEarlier(live: TemperatureAlert, { startedAt, breaches }: Excursion<TemperatureAlert>): void {
  const [first] = breaches;
  if (!first || startedAt >= live.startedAt) return;
  if (!breaches.some(({ at, late }) => late && at < live.startedAt)) return;
  Object.assign(live, { startedAt, value: first.value });
}

/**
 * Readings in breach that came late began an alert earlier that is not late. When one within the bounds comes late between
 * these and its first reading that is not late, the alert begins with the excursion of the latter, and what was before is
 * an excursion in late data. Returns whether that reading is beyond the samples.
 */
function beginLater(
  live: TemperatureAlert,
  findExcursion: FindExcursion<TemperatureAlert>,
  timelyBreachesOf: (terms: ExcursionTerms) => readonly Sample[],
): boolean {
  const begun = findExcursion(live, live.startedAt);
  if (!begun || begun.endedAt === null) return false;
  const timely = timelyBreachesOf(live);
  const inTime = timely[partitionPoint(timely, ({ at }) => at < live.startedAt)];
  if (!inTime) return true;
  const own = findExcursion(live, inTime.at);
  if (own && own.startedAt > live.startedAt)
    Object.assign(live, { startedAt: own.startedAt, value: own.breaches[0]?.value ?? live.value });
  return false;
}

const toTimelyBreaches = (samples: readonly Sample[], { bounds, type }: ExcursionTerms): Sample[] =>
  samples.filter(({ late, value }) => !late && breachOf(bounds, value) === type);

/**
 * Whether no excursion contains the alert's first reading any more: later readings show that the breach has
 * not lasted its delay.
 */
const isUnsupported = (
  alert: TemperatureAlert,
  { firstAt, lastAt }: Stretch,
  { matched, hasBeginning }: Matches,
): boolean =>
  alert.late &&
  alert.startedAt >= firstAt &&
  alert.startedAt <= lastAt &&
  !matched.has(alert) &&
  !hasBeginning(alert);

/** Cuts the alert down to the breach that it began with; the rest of it is found again as excursions. */
function shorten(alert: TemperatureAlert, samples: readonly Sample[]): void {
  const begin = partitionPoint(samples, ({ at }) => at < alert.startedAt);
  let end = begin;
  const isOwn = (sample: Sample) => breachOf(alert.bounds, sample.value) === alert.type;
  for (let next = samples[end]; next && isOwn(next); next = samples[end]) end++;
  const after = samples[end];
  if (!after) return;
  alert.endedAt = after.at;
  alert.extreme = extremeOf(alert.type, samples.slice(begin, end)) ?? alert.extreme;
}

function extremeOf<Each extends { at: number; value: number }>(
  type: ExcursionTerms['type'],
  samples: readonly Each[],
): { at: number; value: number } | null {
  const sign = type === 'high_temp' ? 1 : -1;
  const isFarther = (a: Each, b: Each) =>
    a.value === b.value ? a.at < b.at : sign * (a.value - b.value) > 0;
  const [first, ...others] = samples;
  if (!first) return null;
  const { at, value } = others.reduce(
    (farthest, each) => (isFarther(each, farthest) ? each : farthest),
    first,
  );
  return { at, value };
}

const hasChanged = (alert: TemperatureAlert, stored: TemperatureAlert | undefined): boolean =>
  alert.startedAt !== stored?.startedAt ||
  alert.endedAt !== stored.endedAt ||
  alert.extreme?.at !== stored.extreme?.at;
