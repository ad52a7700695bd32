/** Reads the readings of a span once, page by page, and folds them. */
import { type AlertDefinition, definitionsOf } from '../alerts/alert-definition.ts';
import { NO_SUCH_ASSET } from '../assets/asset.ts';
import { type Layout, positionOf } from '../devices/channel-layout.ts';
import { type DeviceSync, monitoredConfig } from '../devices/device-sync.ts';
import { INTERVALS_HELD, measurementIntervalSeconds } from '../devices/measurement-interval.ts';
import { measurementTypeOf } from '../devices/measurement-type.ts';
import type { HistoryFilter, HistoryScope } from '../measurements/history.repository.ts';
import type { StoredReading } from '../measurements/reading.ts';
import { invalid, notFound } from '../process/errors.ts';
import type { Pace } from '../process/pacer.ts';
import { pages } from '../process/pages.ts';
import { CURVE_COLUMNS, type Curves, createCurves } from './curve.ts';
import { type AlertBounds, type ChannelStatistics, createStatisticsFold, type Span } from './statistics.ts';

export interface StatisticsDeps {
  findAsset(organizationId: string, assetId: string): Promise<{ serialNumber: string; name: string } | null>;
  findDevice(organizationId: string, serialNumber: string): Promise<DeviceState | null>;
  /** On connections for exports. */
  history: {
    findScope(organizationId: string, assetId: string): Promise<HistoryScope | null>;
    lister(scope: HistoryScope): (filter: HistoryFilter) => Promise<StoredReading[]>;
  };
  pace: Pace;
  now(): Date;
}

interface DeviceState {
  sync: Pick<DeviceSync, 'reported' | 'confirmed' | 'pending'>;
}

export interface Statistics extends Span {
  asset: { serialNumber: string; name: string };
  channels: Array<ReturnType<typeof channelView>>;
  curves: Curves;
}

const PAGE = 2_000;
const DAY_MS = 86_400_000;
const SPAN_DAYS_MAX = 400;
/** That of a logger that has not reported its own. */
const INTERVAL_SECONDS_DEFAULT = 300;

export type StatisticsService = ReturnType<typeof createStatisticsService>;

export function createStatisticsService(deps: StatisticsDeps) {
  function readingsOf(scope: HistoryScope, from: Date, to: Date): AsyncGenerator<StoredReading[]> {
    const list = deps.history.lister(scope);
    return pages(PAGE, (before: StoredReading | null) =>
      deps.pace(() => list({ from, to, channel: null, before, limit: PAGE })),
    );
  }

  return async (organizationId: string, assetId: string, from: Date, to: Date): Promise<Statistics> => {
    const scope = await deps.history.findScope(organizationId, assetId);
    const asset = scope && (await deps.findAsset(organizationId, assetId));
    if (!asset) throw notFound(NO_SUCH_ASSET);
    checkSpan(from, to);
    const device = await deps.findDevice(organizationId, asset.serialNumber);
    const holdMs = INTERVALS_HELD * intervalSecondsOf(device) * 1000;
    // What has not come yet is no gap.
    const span = {
      from: from.getTime(),
      to: Math.max(from.getTime(), Math.min(to.getTime(), deps.now().getTime())),
    };
    const definitions = definitionsOf((device && monitoredConfig(device.sync)) ?? {});
    const fold = createStatisticsFold({
      ...span,
      holdMsOf: (type) => (measurementTypeOf(type)?.kind === 'binary' ? Number.POSITIVE_INFINITY : holdMs),
      boundsOf: (channel) => boundsOf(definitions, channel),
    });
    const curves = createCurves(span, CURVE_COLUMNS);
    for await (const page of readingsOf(scope, new Date(span.from - holdMs), new Date(span.to))) {
      for (const reading of page) {
        fold.add(reading);
        curves.add(reading);
      }
    }
    const channels = fold.result().map((channel) => channelView(channel, scope.layout));
    return { asset, ...span, channels, curves };
  };
}

function checkSpan(from: Date, to: Date): void {
  if (to <= from) throw invalid('to must be later than from');
  if (to.getTime() - from.getTime() > SPAN_DAYS_MAX * DAY_MS)
    throw invalid(`to must be at most ${SPAN_DAYS_MAX} days later than from`);
}

function intervalSecondsOf(device: DeviceState | null): number {
  return measurementIntervalSeconds(device?.sync.reported?.config ?? {}) ?? INTERVAL_SECONDS_DEFAULT;
}

const boundsOf = (definitions: AlertDefinition[], channel: number): AlertBounds[] =>
  definitions
    .filter((definition) => definition.channel === channel)
    .map(({ bounds: { lowC, highC } }) => ({ lowC, highC }));

function channelView({ type: number, ...statistics }: ChannelStatistics, layout: Layout) {
  const type = measurementTypeOf(number);
  return {
    ...statistics,
    typeNumber: number,
    position: positionOf(statistics.channel, number, layout),
    type: type?.name ?? `type_${number}`,
    unit: type?.unit ?? '',
    alerts: statistics.alerts.map((alert) => ({ type: alertTypeOf(alert), ...alert })),
    gaps: statistics.gaps.map(({ from, to }) => ({
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
    })),
  };
}

function alertTypeOf({ lowC, highC }: AlertBounds): 'range' | 'high' | 'low' {
  if (lowC === null) return 'high';
  return highC === null ? 'low' : 'range';
}
