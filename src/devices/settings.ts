/**
 * The settings that a device ran and when. A period begins with a report, a confirmation, a frame or an apply
 * that shows it, and lasts until the next one begins. Periods that are over never change: the settings of a past moment are
 * the same whenever they are looked up.
 *
 * The alert rules in force are those by which the service evaluates readings (`monitoredConfig`); the intervals are those
 * that the device reports, and the period of measurement that its frames show.
 */
import { partitionPoint } from '../process/partition-point.ts';
import {
  alertRulesOf,
  contradictions,
  type DeviceConfiguration,
  intervalsOf,
  measurementIntervalSeconds,
  merged,
  withoutTerms,
} from './configuration.ts';
import { type DeviceSync, monitoredConfig } from './device-sync.ts';

/** `applied`: the device has not reported yet, so the applied settings count. */
export const SETTINGS_SOURCES = ['report', 'confirmed', 'frame', 'applied'] as const;
export type SettingsSource = (typeof SETTINGS_SOURCES)[number];

export interface Settings {
  /** The configuration whose alert rules and calendars apply; null: unknown. */
  config: DeviceConfiguration | null;
  /** Null: unknown. */
  measurementPeriodSeconds: number | null;
  /** Null: unknown. */
  transmissionIntervalSeconds: number | null;
}

/** Settings that are in force from a moment on. */
export interface SettingsStart extends Settings {
  from: Date;
  /** The profile that was applied last; null: none, or no profile brought these settings. */
  profileSlug: string | null;
  /** Null: nothing is known from then on. */
  source: SettingsSource | null;
}

export interface BegunSettings extends SettingsStart {
  /** The same settings, now confirmed: a new period if another profile has brought them. */
  isConfirmation: boolean;
  /** The device runs what it confirmed last, so that the profile of that confirmation counts again. */
  isAsConfirmed: boolean;
}

/** The settings of a device while it changes. */
export interface DeviceSettings {
  /** Null: nothing is known yet. */
  running: SettingsStart | null;
  /** Periods that begin with the change, in their order; the last one is running. */
  begun: readonly BegunSettings[];
}

export interface SettingsPeriod extends Omit<SettingsStart, 'source'> {
  source: SettingsSource;
  /** Exclusive; null: still running. */
  to: Date | null;
}

const NOTHING_KNOWN: Settings = {
  config: null,
  measurementPeriodSeconds: null,
  transmissionIntervalSeconds: null,
};

type KnownSync = Pick<DeviceSync, 'reported' | 'confirmed' | 'pending'>;

export function settingsOf(sync: KnownSync): Settings {
  const config = monitoredConfig(sync);
  const running = merged(config, intervalsOf(sync.reported?.config ?? {}));
  return {
    config,
    measurementPeriodSeconds: measurementIntervalSeconds(running),
    transmissionIntervalSeconds: running.transmissionInterval ?? null,
  };
}

export interface Observation {
  source: SettingsSource;
  /** By the clock of the device. */
  at: Date;
  receivedAt: Date;
  /** No period begins earlier. */
  registeredAt: Date;
}

/** Settings that begin a period although they are the same as before. */
interface Occasion extends Observation {
  isFirstReport?: boolean;
  isOtherHardware?: boolean;
  isAsConfirmed?: boolean;
}

/**
 * Settings after a change of the sync state. A period of measurement from frames stays until another one is
 * set.
 */
export function afterSync(
  known: DeviceSettings,
  before: KnownSync,
  after: KnownSync,
  observation: Observation,
): DeviceSettings {
  const settings = settingsOf(after);
  const isFirstReport = before.reported === null && after.reported !== null;
  const isSamePeriod = settings.measurementPeriodSeconds === settingsOf(before).measurementPeriodSeconds;
  const { measurementPeriodSeconds } = isSamePeriod && known.running ? known.running : settings;
  const isAsConfirmed = runsConfirmed(after);
  return begin(
    known,
    { ...settings, measurementPeriodSeconds },
    { ...observation, isFirstReport, isAsConfirmed },
  );
}

const runsConfirmed = ({ reported, confirmed }: KnownSync): boolean =>
  reported !== null &&
  confirmed !== null &&
  contradictions(reported.config, withoutTerms(confirmed)).length === 0;

/** Settings after a frame that was measured with this period. */
export const afterFrame = (
  known: DeviceSettings,
  measurementPeriodSeconds: number,
  observation: Omit<Observation, 'source'>,
): DeviceSettings =>
  begin(
    known,
    { ...(known.running ?? NOTHING_KNOWN), measurementPeriodSeconds },
    { ...observation, source: 'frame' },
  );

/** Another logger is in the place: a period of its own, in which it is to run the settings that the earlier one confirmed. */
export function afterReplacement(
  known: DeviceSettings,
  sync: KnownSync,
  observation: Omit<Observation, 'source'>,
): DeviceSettings {
  return begin(known, settingsOf(sync), { ...observation, source: 'applied', isOtherHardware: true });
}

/** Nothing is known from then on. */
export const afterEnd = (known: DeviceSettings, observation: Omit<Observation, 'source'>): DeviceSettings =>
  begin(known, NOTHING_KNOWN, { ...observation, source: 'applied' });

function begin(known: DeviceSettings, next: Settings, observation: Occasion): DeviceSettings {
  const { running } = known;
  const isSame = areSame(running ?? NOTHING_KNOWN, next);
  const isReported = observation.source === 'report' || observation.source === 'confirmed';
  const isFirstReport =
    observation.isFirstReport || (isReported && (running === null || running.source === 'applied'));
  const isOther = observation.isOtherHardware && running !== null;
  const isConfirmation = observation.source === 'confirmed' && isSame && !isFirstReport;
  if (isSame && !isFirstReport && !isConfirmation && !isOther) return known;
  const { config, measurementPeriodSeconds, transmissionIntervalSeconds } = next;
  const start = {
    config,
    measurementPeriodSeconds,
    transmissionIntervalSeconds,
    from: startOf(running, observation),
    profileSlug: observation.source === 'report' && !isSame ? null : (running?.profileSlug ?? null),
    source: areSame(next, NOTHING_KNOWN) && !isReported ? null : observation.source,
  };
  const earlier = known.begun.filter(({ from }) => from < start.from);
  const isReplacing = earlier.length < known.begun.length;
  return {
    running: isConfirmation && running ? { ...running, from: start.from } : start,
    begun: [
      ...earlier,
      {
        ...start,
        isConfirmation: isConfirmation && !isReplacing,
        isAsConfirmed: observation.isAsConfirmed ?? false,
      },
    ],
  };
}

/**
 * A report with a time before the running period says nothing about that time: past periods stay unchanged.
 */
function startOf(running: SettingsStart | null, { at, receivedAt, registeredAt }: Observation): Date {
  const seen = earliest(at, receivedAt);
  const from = running && seen <= running.from ? latest(receivedAt, running.from) : seen;
  return latest(from, registeredAt);
}

const latest = (a: Date, b: Date): Date => (a > b ? a : b);
const earliest = (a: Date, b: Date): Date => (a < b ? a : b);

const areSame = (a: Settings, b: Settings): boolean =>
  a.measurementPeriodSeconds === b.measurementPeriodSeconds &&
  a.transmissionIntervalSeconds === b.transmissionIntervalSeconds &&
  (a.config === b.config || contradictions(alertRulesOf(a.config), alertRulesOf(b.config)).length === 0);

/** Unix milliseconds; `to` is exclusive. */
export interface Span {
  from: number;
  to: number;
}

/** The periods that overlap the span; input and result are ordered oldest first. */
export const periodsWithin = <Period extends Pick<SettingsPeriod, 'from' | 'to'>>(
  periods: readonly Period[],
  { from, to }: Span,
): Period[] =>
  periods.filter(
    (period) => period.from.getTime() < to && (period.to === null || period.to.getTime() > from),
  );

/** The number of periods, ordered oldest first, that began at the moment or before, in Unix milliseconds. */
export const countBegun = (periods: ReadonlyArray<Pick<SettingsPeriod, 'from'>>, at: number): number =>
  partitionPoint(periods, ({ from }) => from.getTime() <= at);

/** The period in force at the moment, in Unix milliseconds; null: unknown. The input is ordered oldest first. */
export function settingsAt<Period extends Pick<SettingsPeriod, 'from' | 'to'>>(
  periods: readonly Period[],
  at: number,
): Period | null {
  const last = periods[countBegun(periods, at) - 1];
  return last && (last.to === null || last.to.getTime() > at) ? last : null;
}
