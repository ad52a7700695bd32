/**
 * A profile: how an organization wants its loggers to measure, send and raise alerts, in the terms of the
 * API. `compile-profile.ts` turns it into a configuration of a logger.
 *
 * Values are kept as sent. The values on the device (steps of 0.1 °C) are shown beside them, as minC and
 * maxC, and never in their place. A part that is null was never given, and applying the profile leaves that
 * part of a device alone; `temperatureAlerts: []` is given and means none.
 */
import type { AlertTerms } from '../devices/alert-terms.ts';
import { type ProbePosition, RULE_SLOTS_DEFAULT } from '../devices/device-capabilities.ts';
import { invalid } from '../process/errors.ts';

/** Sunday first: the index is the device's number for the day. */
export const WEEKDAYS = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const;
/** The bounds of a temperature alert: both, or one. */
export const BOUNDS_TYPES = ['range', 'high', 'low'] as const;

export const SLUG_LENGTH_MAX = 64;
/** Two thresholds and the rule that transmits. */
export const RULES_PER_ALERT_MAX = 3;
export const ALERTS_MAX = RULE_SLOTS_DEFAULT / RULES_PER_ALERT_MAX;

type Weekday = (typeof WEEKDAYS)[number];
export type BoundsType = (typeof BOUNDS_TYPES)[number];

/** Delay and severity are stored and shown only where they were given. */
export interface TemperatureAlert extends AlertTerms {
  type: BoundsType;
  channel: ProbePosition;
  /** Set for range and low. */
  lowC?: number;
  /** Set for range and high. */
  highC?: number;
  /** How far inside a bound the temperature must return; 0: to the bound. */
  hysteresisC: number;
  transmitOnBreach: boolean;
  transmitOnReturn: boolean;
}

/**
 * A window from `from` on each of the days until the next `to`: after midnight it still belongs to the day
 * before.
 */
export interface WeekSchedule {
  always: false;
  days: Weekday[];
  /** Local time, HH:MM. */
  from: string;
  /** Up to 24:00, the midnight at which the day ends. */
  to: string;
  /** Name from the IANA time zone database. */
  timezone: string;
}

export type Schedule = { always: true } | WeekSchedule;

export interface Intervals {
  measurementIntervalMinutes?: number;
  transmissionIntervalSeconds?: number;
}

export interface Profile {
  slug: string;
  name: string;
  temperatureAlerts: TemperatureAlert[] | null;
  schedule: Schedule | null;
  intervals: Intervals | null;
}

/** The body of create and of update, with defaults filled in. */
export type ProfileInput = { [Field in keyof Profile]?: NonNullable<Profile[Field]> };

/** @throws invalid when a slug is neither given nor can be made from the name. */
export function newProfile({ slug, name, temperatureAlerts, schedule, intervals }: ProfileInput): Profile {
  const ownSlug = slug ?? slugFromName(name ?? '');
  return {
    slug: ownSlug,
    name: name ?? ownSlug,
    temperatureAlerts: temperatureAlerts ?? null,
    schedule: schedule ?? null,
    intervals: intervals ?? null,
  };
}

/**
 * The profile, in which each field of the change replaces the old one as a whole.
 * @throws invalid when the change has another slug.
 */
export function changedProfile(profile: Profile, change: ProfileInput): Profile {
  if (change.slug !== undefined && change.slug !== profile.slug) {
    throw invalid(`slug must be ${profile.slug}, as in the path, or left out`);
  }
  const { name, temperatureAlerts, schedule, intervals } = change;
  return {
    slug: profile.slug,
    name: name ?? profile.name,
    temperatureAlerts: temperatureAlerts ?? profile.temperatureAlerts,
    schedule: schedule ?? profile.schedule,
    intervals: intervals ?? profile.intervals,
  };
}

/** Why a device would have to send more often than it measures; null: it would not. */
export function intervalsFault(intervals: Intervals): string | null {
  const { measurementIntervalMinutes: minutes = 0, transmissionIntervalSeconds: seconds } = intervals;
  if (seconds === undefined || seconds >= minutes * 60) return null;
  return `transmissionIntervalSeconds must be at least ${minutes * 60}, the measurement interval in seconds`;
}

/** Letters that Unicode does not decompose into a Latin letter and its mark. */
const PLAIN_LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
};

/** "Kühlschrank 2–8 °C" → "kuhlschrank-2-8-c". @throws invalid when the name has no Latin letter and no digit. */
export function slugFromName(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþ]/g, (letter) => PLAIN_LETTERS[letter] ?? '')
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '')
    .join('-')
    .slice(0, SLUG_LENGTH_MAX)
    .replace(/-$/, '');
  if (slug !== '') return slug;
  throw invalid(
    'slug must be given, because the name has no letter from a to z and no digit to make one from',
  );
}

export interface ProfileView {
  slug: string;
  name: string;
  schedule: Schedule;
  temperatureAlerts: TemperatureAlert[];
}

interface EnforcedBounds {
  /** °C, steps of 0.1; null when the alert has no such bound. */
  minC: number | null;
  maxC: number | null;
}

export interface ProfileDetailView extends ProfileView {
  measurementIntervalMinutes: number | null;
  transmissionIntervalSeconds: number | null;
  temperatureAlerts: Array<TemperatureAlert & EnforcedBounds>;
}

/** For list and get. */
export function profileView({ slug, name, schedule, temperatureAlerts }: Profile): ProfileView {
  return { slug, name, schedule: schedule ?? { always: true }, temperatureAlerts: temperatureAlerts ?? [] };
}

/** For create and update. */
export function profileDetailView(profile: Profile): ProfileDetailView {
  const view = profileView(profile);
  return {
    ...view,
    measurementIntervalMinutes: profile.intervals?.measurementIntervalMinutes ?? null,
    transmissionIntervalSeconds: profile.intervals?.transmissionIntervalSeconds ?? null,
    temperatureAlerts: view.temperatureAlerts.map((alert) => ({ ...alert, ...enforcedBounds(alert) })),
  };
}

export function enforcedBounds({ lowC, highC }: Pick<TemperatureAlert, 'lowC' | 'highC'>): EnforcedBounds {
  return {
    minC: lowC === undefined ? null : roundedToTenth(lowC),
    maxC: highC === undefined ? null : roundedToTenth(highC),
  };
}

/** Rounds halves away from zero (0.05 → 0.1, -0.05 → -0.1). Never returns -0. */
export function roundedToTenth(celsius: number): number {
  const tenths = Math.round(Math.abs(celsius) * 10);
  return tenths === 0 ? 0 : (Math.sign(celsius) * tenths) / 10;
}

export const NO_SUCH_PROFILE = 'No configuration profile has this slug';
