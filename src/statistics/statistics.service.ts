/** Reads the readings of a span page by page, and folds them by the settings in force. */
import { NO_SUCH_ASSET } from '../assets/asset.ts';
import { type Layout, positionOf } from '../devices/device-capabilities.ts';
import { measurementTypeOf, typeView } from '../devices/measurement-type.ts';
import type { StoredReading } from '../devices/reading.ts';
import type { SettingsRepository } from '../devices/settings.repository.ts';
import { periodsWithin, type SettingsPeriod, type Span } from '../devices/settings.ts';
import type { HistoryFilter, HistoryRepository } from '../measurements/history.repository.ts';
import type { MutesRepository } from '../mutes/mutes.repository.ts';
import { DAY_MS } from '../process/durations.ts';
import { conflict, invalid, orNotFound } from '../process/errors.ts';
import type { Pace } from '../process/pacer.ts';
import { pages } from '../process/pages.ts';
import type { ProfilesRepository } from '../profiles/profiles.repository.ts';
import { CURVE_COLUMNS, type Curves, createCurves } from './curve.ts';
import type { RecordedAlerts, RecordedAsset, RecordRepository } from './record.repository.ts';
import { typeOfBounds } from './settings-view.ts';
import { type ChannelStatistics, createStatisticsFold, type StatisticsFold } from './statistics.ts';

interface StatisticsDeps {
  record: RecordRepository;
  mutes: Pick<MutesRepository, 'listSpans'>;
  settings: SettingsRepository;
  listProfileNames: ProfilesRepository['listNames'];
  /** Uses the connections for exports. */
  history: Pick<HistoryRepository, 'lister'>;
  pace: Pace;
  now(): Date;
}

export interface Statistics extends Span, RecordedAlerts {
  asset: RecordedAsset;
  /** Settings in force within the span, oldest first. */
  settings: SettingsPeriod[];
  /** By short name. */
  profileNames: ReadonlyMap<string, string>;
  channels: Array<ReturnType<typeof channelView>>;
  /** Times of maintenance within the span, oldest first. */
  mutedSpans: Array<Span & { reason: string }>;
  curves: Curves;
}

interface StatisticsRequest {
  organizationId: string;
  assetId: string;
  from: Date;
  to: Date;
  /** Ends the work at its next page. */
  isAbandoned(): boolean;
}

const PAGE = 2_000;
/** Maximum number of consecutive sensor errors before the span, behind which a sample is searched. */
const ERRORS_MAX = 100;
const SPAN_DAYS_MAX = 400;
/** More periods of settings than any device has in its life, unless it reports others with each frame. */
const PERIODS_MAX = 10_000;

export type StatisticsService = ReturnType<typeof createStatisticsService>;

export function createStatisticsService(deps: StatisticsDeps) {
  const { record, mutes, settings, listProfileNames, history, pace, now } = deps;
  return async (request: StatisticsRequest): Promise<Statistics> => {
    const { organizationId, assetId } = request;
    const asset = orNotFound(await record.find(organizationId, assetId), NO_SUCH_ASSET);
    checkSpan(request);
    const span = cutSpan(request, asset, now());
    // Also periods before the span: the last reading before it holds into it, and is older by any time.
    const until = { from: null, to: new Date(span.to), limit: PERIODS_MAX };
    const inForce = await settings.list(organizationId, assetId, until);
    checkPeriods(inForce, span);
    const list = history.lister({ organizationId, assetId, layout: asset });
    const isArchived = asset.archivedAt !== null && asset.archivedAt.getTime() <= span.from;
    const measured = isArchived ? [] : asset.measuredChannels;
    const read: typeof list = (filter) =>
      pace(organizationId, async () => {
        if (request.isAbandoned()) throw conflict('The client has gone');
        return list(filter);
      });
    const readings = createReadings(read, { ...span, measured });
    const options = {
      ...span,
      registeredAt: asset.registeredAt.getTime(),
      settings: inForce.toReversed(),
    };
    const curves = createCurves(span, CURVE_COLUMNS);
    let fold = createStatisticsFold({ ...options, medianOf: () => null });
    await readings.readInto(fold, curves);
    if (fold.lacksPeriod()) {
      // The median is known only after all readings were read.
      const { medianOf } = fold;
      fold = createStatisticsFold({ ...options, medianOf });
      await readings.readInto(fold);
    }
    const channels = fold.result().map((channel) => channelView(channel, asset));
    const alerts = await record.listAlerts(organizationId, assetId, span);
    const muted = await mutes.listSpans(organizationId, assetId, toDates(span));
    const mutedSpans = muted.map((each) => ({
      from: Math.max(span.from, each.from.getTime()),
      to: Math.min(span.to, each.to.getTime()),
      reason: each.reason,
    }));
    const settingsWithin = periodsWithin(options.settings, span);
    const profileNames = await listProfileNames(
      organizationId,
      settingsWithin.flatMap(({ profileSlug }) => profileSlug ?? []),
    );
    const found = { asset, settings: settingsWithin, profileNames, channels, mutedSpans, curves };
    return { ...span, ...alerts, ...found };
  };
}

function checkSpan({ from, to }: StatisticsRequest): void {
  if (to <= from) throw invalid('to must be later than from');
  if (to.getTime() - from.getTime() > SPAN_DAYS_MAX * DAY_MS)
    throw invalid(`to must be at most ${SPAN_DAYS_MAX} days later than from`);
}

/** Periods before the span may be missing, and are then unknown; those within it may not. */
function checkPeriods(newestFirst: readonly SettingsPeriod[], { from }: Span): void {
  const earliest = newestFirst.at(-1);
  if (newestFirst.length === PERIODS_MAX && earliest && earliest.from.getTime() > from)
    throw invalid(`The settings changed ${PERIODS_MAX} times or more within the span: choose a shorter one`);
}

/** Ends the span at the present and at the archival, because no readings are expected after them. */
function cutSpan({ from, to }: StatisticsRequest, { archivedAt }: RecordedAsset, now: Date): Span {
  const end = archivedAt && archivedAt > from && archivedAt < to ? archivedAt : to;
  return { from: from.getTime(), to: Math.max(from.getTime(), Math.min(end.getTime(), now.getTime())) };
}

const toDates = ({ from, to }: Span) => ({ from: new Date(from), to: new Date(to) });

function createReadings(
  list: (filter: HistoryFilter) => Promise<StoredReading[]>,
  { measured, ...span }: Span & { measured: readonly number[] },
) {
  const { from, to } = toDates(span);

  /** The last readings of a channel before the span, back to its last sample. */
  async function listBefore(channel: number): Promise<StoredReading[]> {
    const found = await list({ from: null, to: from, channel, before: null, limit: ERRORS_MAX });
    const last = found.findIndex(({ value }) => value !== null);
    return last === -1 ? found : found.slice(0, last + 1);
  }

  return {
    async readInto(...into: Array<Pick<StatisticsFold, 'add'>>): Promise<void> {
      // A channel with readings before the span but none in it is shown as missing.
      const channels = new Set(measured);
      const add = (reading: StoredReading) => {
        for (const each of into) each.add(reading);
        channels.add(reading.channel);
      };
      const read = (before: StoredReading | null) => list({ from, to, channel: null, before, limit: PAGE });
      for await (const page of pages(PAGE, read)) page.forEach(add);
      for (const channel of channels) (await listBefore(channel)).forEach(add);
    },
  };
}

const MORE_DECIMALS = 2;
const KINETIC_DECIMALS = 2;

/** Two decimals more than the sensor has. */
function decimalsOf(type: number): number {
  const { resolution = 1 } = measurementTypeOf(type) ?? {};
  return Math.max(0, -Math.floor(Math.log10(resolution))) + MORE_DECIMALS;
}

const roundedTo = (decimals: number, value: number): number => Number(value.toFixed(decimals)) || 0;
const shown = (decimals: number, value: number | null) =>
  value === null ? null : roundedTo(decimals, value);

function channelView({ type: number, ...statistics }: ChannelStatistics, layout: Layout) {
  const decimals = decimalsOf(number);
  const { min, max, avg, meanKineticTemperature, readings, expectedReadings } = statistics;
  return {
    ...statistics,
    min: shown(decimals, min),
    max: shown(decimals, max),
    avg: shown(decimals, avg),
    meanKineticTemperature: shown(KINETIC_DECIMALS, meanKineticTemperature),
    completenessPercent: completenessPercent(readings, expectedReadings),
    typeNumber: number,
    position: positionOf(statistics.channel, number, layout),
    ...typeView(number),
    alerts: statistics.alerts.map((alert) => ({ type: typeOfBounds(alert), ...alert })),
  };
}

function completenessPercent(readings: number, expected: number | null): number | null {
  if (expected === null) return null;
  return roundedTo(2, Math.min(100, expected === 0 ? 100 : (100 * readings) / expected));
}
