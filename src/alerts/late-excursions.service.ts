/**
 * Makes alerts of excursions in late data, in the transaction that stores the data, under the locks of the
 * device states. A batch without late readings costs no statement; otherwise two statements find out whether
 * there is anything to evaluate.
 */
import type { Sql } from '../db/database.ts';
import type { DomainEvent } from '../db/domain-event.ts';
import type { InTransaction } from '../db/transaction.ts';
import { DELAY_MAX_MINUTES } from '../devices/alert-terms.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import type { SettingsPeriod } from '../devices/settings.ts';
import type {
  SurroundingReadings,
  SurroundingReadingsRepository,
} from '../measurements/surrounding-readings.repository.ts';
import { grouped } from '../process/grouped.ts';
import { timeOf } from '../process/iso-time.ts';
import { inSlices } from '../process/pages.ts';
import type { TemperatureDetails } from './alert.ts';
import type {
  AlertAround,
  AlertBatchesRepository,
  LengthenedAlert,
  NewAlert,
  Over,
} from './alert-batches.repository.ts';
import { alertEvent } from './alert-events.ts';
import { type LatePlan, planLateExcursions, type TemperatureAlert } from './late-excursions.ts';
import { type LateChannel, type LateDevice, type Range, toRanges } from './late-ranges.ts';
import { type RulesInForce, rulesInForce } from './rules-in-force.ts';

interface LateExcursionsDeps {
  batchesIn(sql: Sql): Pick<AlertBatchesRepository, 'listAround' | 'insert' | 'lengthen'>;
  settingsIn(sql: Sql): {
    listFrom(starts: ReadonlyArray<AssetRef & { from: number }>): Promise<Map<string, SettingsPeriod[]>>;
  };
  readingsIn(sql: Sql): SurroundingReadingsRepository;
}

interface LateOutcome {
  /** Events for the caller to publish. */
  events: DomainEvent[];
  /**
   * Channels by asset whose newest sample is part of an excursion in late data, with the time of that sample.
   */
  unended: Map<string, Array<{ channel: number; unendedAt: number }>>;
}

/** How far rules reach: the longest gap, and the longest delay. */
const LOOK_MS = 86_400_000 + DELAY_MAX_MINUTES * 60_000;

/** A channel of a device, with the data that decides about its late readings. */
interface Evaluated extends LateChannel {
  device: LateDevice;
  rules: readonly RulesInForce[];
  alerts: TemperatureAlert[];
  ranges: Range[];
}

type Planned = LatePlan & Evaluated;
type Decided = Pick<Planned, 'device' | 'channel' | 'made' | 'lengthened' | 'unendedAt'>;

/**
 * Of a device: four of its rules broken once a minute for three days. Late readings among so many are stored and not evaluated,
 * because the alerts that they belong to may not have been read.
 */
const ALERTS_AROUND_MAX = 20_000;

/** Together, because they share the maximum of readings of a call: each may have thirty thousand. */
const DEVICES_TOGETHER_MAX = 10;

/** By how much the range of readings grows, step by step, for an excursion that goes on. */
const WIDER_MS = [6, 24, 168].map((hours) => hours * 3_600_000);

export type EvaluateLate = ReturnType<typeof createLateExcursions>;

export function createLateExcursions({ batchesIn, settingsIn, readingsIn }: LateExcursionsDeps) {
  async function find(sql: Sql, devices: LateDevice[]): Promise<Evaluated[]> {
    const spans = devices.map(toSpan);
    const [settings, alerts] = await Promise.all([
      settingsIn(sql).listFrom(spans),
      batchesIn(sql).listAround(spans, ALERTS_AROUND_MAX),
    ]);
    const byAsset = grouped(alerts, ({ assetId }) => assetId);
    return devices.flatMap((device) => {
      const rules = rulesInForce(settings.get(device.assetId) ?? []);
      const ofDevice = (byAsset.get(device.assetId) ?? []).map(toTemperatureAlert);
      const isCrowded = hasMostAround(ofDevice, toSpan(device));
      return device.channels.map((channel) => {
        const ofChannel = ofDevice.filter((alert) => alert.channel === channel.channel);
        const each = isCrowded ? { ...channel, fresh: [] } : channel;
        return { ...each, device, rules, alerts: ofChannel, ranges: toRanges(each, rules, ofChannel) };
      });
    });
  }

  /** Reads more where an excursion may continue beyond the readings that were read. */
  async function plan(sql: Sql, evaluated: Evaluated[], [widerMs, ...next] = WIDER_MS): Promise<Planned[]> {
    const found = await readingsIn(sql).find(
      evaluated.flatMap(({ device: { organizationId, assetId, latestAt }, channel, ranges }) =>
        ranges.map(({ from, to }) => {
          const hasNext = latestAt === null || latestAt > to;
          return { organizationId, assetId, channel, from, to, hasNext };
        }),
      ),
    );
    const planned = evaluated.map((each) => {
      const stretches = joinStretches(found.splice(0, each.ranges.length));
      const plans = planLateExcursions({ ...each, stretches: stretches.map(({ readings }) => readings) });
      return { ...each, ranges: stretches.map(({ from, to }) => ({ from, to })), ...plans };
    });
    const cut = planned.filter(({ isCut }) => isCut);
    if (cut.length === 0 || !widerMs) return planned;
    const widened = await plan(
      sql,
      cut.map((each) => widen(each, widerMs)),
      next,
    );
    return [...planned.filter(({ isCut }) => !isCut), ...widened];
  }

  /** Keeps neither readings nor stored alerts of devices that are decided. */
  async function decide(sql: Sql, devices: LateDevice[]): Promise<Decided[]> {
    const planned = await plan(sql, await find(sql, devices));
    return planned.map(({ device, channel, made, lengthened, unendedAt }) => ({
      device,
      channel,
      made,
      lengthened,
      unendedAt,
    }));
  }

  async function insert(sql: Sql, decided: Decided[]): Promise<DomainEvent[]> {
    const made = decided.flatMap(({ device, made: alerts }) =>
      alerts.map((alert) => newAlert(device, alert)),
    );
    const inserted = await batchesIn(sql).insert(made);
    return inserted.flatMap((alert) => [
      alertEvent('alert.created', alert, alert.startedAt),
      alertEvent('alert.resolved', alert, alert.endedAt as Date),
    ]);
  }

  /**
   * The caller has locked the states of the devices, and stored their readings with the effects on other
   * alerts.
   */
  return async function evaluateLate({ sql }: InTransaction, devices: LateDevice[]): Promise<LateOutcome> {
    const unended: LateOutcome['unended'] = new Map();
    if (devices.length === 0) return { events: [], unended };
    const decided: Decided[] = [];
    for (const slice of inSlices(devices, DEVICES_TOGETHER_MAX)) decided.push(...(await decide(sql, slice)));
    const events = await insert(sql, decided);
    await batchesIn(sql).lengthen(
      decided.flatMap(({ device, lengthened }) => lengthened.map((alert) => toLengthened(device, alert))),
    );
    for (const { device, channel, unendedAt } of decided)
      if (unendedAt !== null)
        unended.set(device.assetId, [...(unended.get(device.assetId) ?? []), { channel, unendedAt }]);
    return { events, unended };
  };
}

const widen = (evaluated: Evaluated, byMs: number): Evaluated => ({
  ...evaluated,
  ranges: evaluated.ranges.map(({ from, to }) => ({ from, to: to + byMs })),
});

function toSpan({ organizationId, assetId, channels }: LateDevice): AssetRef & Range {
  const times = channels.flatMap(({ fresh, unendedAt }) => [
    ...fresh.map(({ measuredAt }) => measuredAt.getTime()),
    ...(unendedAt === null ? [] : [unendedAt]),
  ]);
  const from = times.reduce((a, b) => Math.min(a, b)) - LOOK_MS;
  const to = times.reduce((a, b) => Math.max(a, b)) + LOOK_MS;
  return { organizationId, assetId, from, to };
}

/** Whether there may be more alerts than were read. */
const hasMostAround = (alerts: readonly TemperatureAlert[], { from, to }: Range): boolean =>
  alerts.filter(({ startedAt }) => startedAt > from && startedAt <= to).length >= ALERTS_AROUND_MAX;

/** Ranges that touch have no other readings between them. */
function joinStretches(found: SurroundingReadings[]): SurroundingReadings[] {
  const stretches: SurroundingReadings[] = [];
  for (const next of found) {
    const last = stretches.at(-1);
    if (last && next.from <= last.to) {
      for (const each of next.readings) if (each.measuredAt.getTime() > last.to) last.readings.push(each);
      last.to = Math.max(last.to, next.to);
    } else stretches.push({ ...next, readings: [...next.readings] });
  }
  return stretches;
}

function toTemperatureAlert(alert: AlertAround): TemperatureAlert {
  const { channel, bounds, value } = alert.details as TemperatureDetails;
  return {
    alertId: alert.id,
    type: alert.type as TemperatureAlert['type'],
    channel,
    bounds,
    severity: alert.severity,
    late: alert.late,
    startedAt: alert.startedAt.getTime(),
    endedAt: alert.endedAt?.getTime() ?? null,
    value,
    extreme: alert.extreme && {
      at: (timeOf(alert.extreme.at) as Date).getTime(),
      value: alert.extreme.value,
    },
  };
}

const newAlert = (
  { organizationId, assetId, serialNumber }: LateDevice,
  alert: TemperatureAlert,
): NewAlert => ({
  organizationId,
  assetId,
  serialNumber,
  type: alert.type,
  details: { channel: alert.channel, value: alert.value, bounds: alert.bounds },
  startedAt: new Date(alert.startedAt),
  severity: alert.severity,
  isAnnounced: true,
  over: toOver(alert),
});

const toLengthened = ({ organizationId }: LateDevice, alert: TemperatureAlert): LengthenedAlert => ({
  organizationId,
  alertId: alert.alertId as string,
  startedAt: new Date(alert.startedAt),
  value: alert.value,
  over: alert.late ? toOver(alert) : null,
});

function toOver({ endedAt, extreme }: TemperatureAlert): Over {
  const { at, value } = extreme as { at: number; value: number };
  return { endedAt: new Date(endedAt as number), extreme: { value, at: new Date(at).toISOString() } };
}
