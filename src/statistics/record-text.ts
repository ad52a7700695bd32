/** The text of a record about a device and its span, as lines. */
import { definitionsOf } from '../alerts/alert-definition.ts';
import { channelText, type Layout } from '../devices/device-capabilities.ts';
import type { SettingsPeriod, Span } from '../devices/settings.ts';
import { clockText, durationText } from '../process/durations.ts';
import { utcOffsetMinutes } from '../profiles/time-zone.ts';
import type { RecordedAsset } from './record.repository.ts';
import type { Statistics } from './statistics.service.ts';

export type Channel = Statistics['channels'][number];

/** Time, author and time zone of a record. */
export interface RecordOptions {
  madeAt: Date;
  madeBy: string;
  /** IANA name. */
  timezone: string;
}

/** Further ones are counted, and not listed. */
const SETTINGS_MAX = 12;
const BOUNDS_MAX = 12;
const MAINTENANCE_MAX = 12;

export function headLines(statistics: Statistics, options: RecordOptions): string[] {
  const { asset } = statistics;
  const timeOf = clockOf(options.timezone);
  return [
    `Organization: ${asset.organizationName}`,
    `Name: ${asset.name}`,
    ...placeOf(asset),
    ...(isBeforeRegistration(statistics) ? [] : serialsWithin(asset, statistics)).map(
      ({ serialNumber, from, to }) => `Logger: ${serialNumber}, ${timeOf(from)} to ${timeOf(to)}`,
    ),
    ...(asset.registeredAt.getTime() > statistics.from
      ? [`Registered: ${timeOf(asset.registeredAt.getTime())}`]
      : []),
    ...spanLines(statistics, options),
  ];
}

export function comparisonLines(records: readonly Statistics[], options: RecordOptions): string[] {
  const from = Math.min(...records.map((each) => each.from));
  const to = Math.max(...records.map((each) => each.to));
  return [`Organization: ${records[0]?.asset.organizationName}`, ...spanLines({ from, to }, options)];
}

function spanLines({ from, to }: Span, { madeAt, madeBy, timezone }: RecordOptions): string[] {
  const timeOf = clockOf(timezone);
  return [
    `Span: ${timeOf(from)} to ${timeOf(to)}`,
    `Time zone: ${timezone}, at the beginning ${offsetText(timezone, from)}, at the end ${offsetText(timezone, to)}`,
    `Made: ${timeOf(madeAt.getTime())} by ${madeBy}`,
  ];
}

export const comparedLine = ({ statistics, channel }: { statistics: Statistics; channel: Channel }): string =>
  `${statistics.asset.name} (${statistics.asset.serialNumber}), channel ${channel.channel}: ${samplesText(channel)}`;

/** Loggers may bring readings from before their registration: such a span is a record like any other. */
const isBeforeRegistration = ({ asset, channels, to }: Statistics): boolean =>
  channels.length === 0 && to <= asset.registeredAt.getTime();

/** Says why there are no numbers. */
export function emptyLine(statistics: Statistics, timezone: string): string {
  if (!isBeforeRegistration(statistics)) return 'No readings in this time.';
  const registeredAt = clockOf(timezone)(statistics.asset.registeredAt.getTime());
  return `No readings in this time: the device was registered later, at ${registeredAt}.`;
}

/** The settings in force, oldest first. */
export function settingsLines(
  { asset, settings, profileNames, from, to }: Statistics,
  timezone: string,
): string[] {
  if (settings.length === 0) return ['No settings are known of this time.'];
  const timeOf = clockOf(timezone);
  const left = settings.length - SETTINGS_MAX;
  const lines = settings.slice(-SETTINGS_MAX).flatMap((period) => {
    const start = Math.max(period.from.getTime(), from);
    const end = Math.min(period.to?.getTime() ?? to, to);
    return [
      `${timeOf(start)} to ${timeOf(end)}: ${profileText(period, profileNames)}, ${SOURCE_TEXTS[period.source]}`,
      `    ${settingsText(period, asset)}`,
    ];
  });
  return left > 0 ? [`${left} earlier settings are not listed.`, ...lines] : lines;
}

const SOURCE_TEXTS: Record<SettingsPeriod['source'], string> = {
  report: 'as the logger reported',
  confirmed: 'confirmed by the logger',
  frame: 'measured in the period that its readings show',
  applied: 'not reported by the logger yet',
};

/** With its short name, which stays when a profile is renamed. */
function profileText({ profileSlug: slug }: SettingsPeriod, names: Statistics['profileNames']): string {
  if (slug === null) return 'no profile';
  const name = names.get(slug) ?? slug;
  return name === slug ? `profile ${slug}` : `profile ${name} (${slug})`;
}

function settingsText(
  { config, measurementPeriodSeconds: period, transmissionIntervalSeconds: interval }: SettingsPeriod,
  layout: Layout,
): string {
  const bounds = definitionsOf(config ?? {}).map(
    (each) => `${channelText(each.channel, layout)}: ${boundsText(each.bounds)}`,
  );
  return [
    ...(bounds.length === 0 ? ['no bounds'] : bounds),
    ...(period === null ? [] : [`measured every ${durationText(period)}`]),
    ...(interval === null ? [] : [`transmitted every ${durationText(interval)}`]),
  ].join(', ');
}

/** Times of maintenance, oldest first. */
export function maintenanceLines({ mutedSpans }: Statistics, timezone: string): string[] {
  const timeOf = clockOf(timezone);
  const left = mutedSpans.length - MAINTENANCE_MAX;
  const lines = mutedSpans
    .slice(-MAINTENANCE_MAX)
    .map(({ from, to, reason }) => `${timeOf(from)} to ${timeOf(to)}: ${reason.replace(/\s+/g, ' ')}`);
  return left > 0 ? [notListed(left, 'earlier time'), ...lines] : lines;
}

export function channelLines(channel: Channel, span: Span, timezone: string): string[] {
  const { gapCount, expectedFrom } = channel;
  const since = expectedFrom > span.from ? `, since ${clockOf(timezone)(expectedFrom)}` : '';
  return [
    `Channel ${channel.channel}: ${titleOf(channel)}`,
    samplesText(channel),
    `${completenessText(channel)}${since}   gaps ${gapCount}`,
    ...outsideLines(channel, span, timezone),
  ];
}

export const titleOf = ({ type, position, unit }: Channel): string =>
  `${type}${position === null ? '' : ` (${position})`}${unit === '' ? '' : `, ${unit}`}`;

function samplesText({ count, min, max, avg, meanKineticTemperature }: Channel): string {
  const kinetic =
    meanKineticTemperature === null ? '' : `   mean kinetic temperature ${meanKineticTemperature}`;
  return count === 0 ? 'samples 0' : `samples ${count}   min ${min}   max ${max}   average ${avg}${kinetic}`;
}

function completenessText({ readings, expectedReadings, completenessPercent }: Channel): string {
  if (expectedReadings === null) return `readings ${readings}`;
  const expected =
    readings > expectedReadings ? `, more than the ${expectedReadings} expected` : ` of ${expectedReadings}`;
  return `readings ${readings}${expected}, ${completenessPercent} %`;
}

/** With their times, where bounds were in force for a part of the span. */
function outsideLines({ alerts, withoutBounds }: Channel, span: Span, timezone: string): string[] {
  const timeOf = clockOf(timezone);
  const timesOf = ({ from, to }: Span) =>
    from > span.from || to < span.to ? `, ${timeOf(from)} to ${timeOf(to)}` : '';
  const more = alerts.length - BOUNDS_MAX;
  const freeMs = withoutBounds.reduce((sum, { from, to }) => sum + to - from, 0);
  return [
    ...alerts
      .slice(0, BOUNDS_MAX)
      .map(
        ({ secondsOutside, ...bounds }) =>
          `${boundsText(bounds)}${timesOf(bounds)}: ${durationText(secondsOutside)} outside`,
      ),
    ...(more > 0 ? [`${more} later bounds are not listed.`] : []),
    ...(freeMs > 0 ? [`without bounds ${durationText(freeMs / 1000)}`] : []),
  ];
}

export const notListed = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? ' is' : 's are'} not listed.`;

export const boundsText = ({ lowC, highC }: { lowC: number | null; highC: number | null }): string => {
  if (lowC === null) return `up to ${highC} °C`;
  return highC === null ? `from ${lowC} °C` : `${lowC} to ${highC} °C`;
};

/** One line per part, since each may be as long as a line. */
const placeOf = ({ buildingId, spaceId, floor }: RecordedAsset): string[] => [
  ...(buildingId === null ? [] : [`Building: ${buildingId}`]),
  ...(spaceId === null ? [] : [`Space: ${spaceId}`]),
  ...(floor === null ? [] : [`Floor: ${floor}`]),
];

/**
 * The loggers of the place within the span, the earliest first. The first one begins with the registration, unless all
 * readings are from before it.
 */
function serialsWithin(
  { serialNumber, replacements, registeredAt }: RecordedAsset,
  span: Span,
): Array<Span & { serialNumber: string }> {
  const ends = [
    ...replacements.map(({ replacedAt, ...logger }) => ({ ...logger, to: replacedAt.getTime() })),
    { serialNumber, to: Number.POSITIVE_INFINITY },
  ];
  const first = registeredAt.getTime() < span.to ? registeredAt.getTime() : span.from;
  return ends.flatMap(({ to, ...logger }, index) => {
    const from = Math.max(span.from, ends[index - 1]?.to ?? first);
    const end = Math.min(span.to, to);
    return end > from ? [{ ...logger, from, to: end }] : [];
  });
}

/** Clocks are set back by an hour, on Lord Howe Island by half an hour, at Troll in Antarctica by two. */
const SET_BACK_MS = [7_200_000, 3_600_000, 1_800_000, -1_800_000, -3_600_000, -7_200_000];

/** `YYYY-MM-DD HH:MM:SS` in the time zone, with the offset where the clock shows this time twice. */
export function clockOf(timezone: string): (atMs: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return (atMs) => {
    const text = format.format(atMs);
    const isTwice = SET_BACK_MS.some((ms) => format.format(atMs + ms) === text);
    return isTwice ? `${text} ${offsetText(timezone, atMs)}` : text;
  };
}

function offsetText(timezone: string, atMs: number): string {
  const minutes = utcOffsetMinutes(timezone, new Date(atMs));
  return `UTC${minutes < 0 ? '-' : '+'}${clockText(Math.abs(minutes))}`;
}

/** `<serial>-<from>-<to>.pdf` with dates in the time zone; only characters that every file system accepts. */
export function fileNameOf(
  [first, ...others]: readonly [Statistics, ...Statistics[]],
  timezone: string,
): string {
  const { asset, from, to } = first;
  const timeOf = clockOf(timezone);
  const [firstDay, lastDay] = [from, to].map((at) => timeOf(at).split(' ')[0]);
  const more = others.length > 0 ? `-and-${others.length}-more` : '';
  return `${asset.serialNumber.replace(/[^\w.-]/g, '_')}${more}-${firstDay}-${lastDay}.pdf`;
}
