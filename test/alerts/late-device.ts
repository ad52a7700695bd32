/** A device whose readings and alerts are in memory, with all rules of the service. Times are minutes. */

import type {
  AlertBatchesRepository,
  NewAlert,
  OpenState,
} from '../../src/alerts/alert-batches.repository.ts';
import type { Bounds } from '../../src/alerts/alert-definition.ts';
import { createAlertEvaluation } from '../../src/alerts/alert-evaluation.service.ts';
import type { StoredAlert } from '../../src/alerts/alerts.repository.ts';
import { createLateExcursions } from '../../src/alerts/late-excursions.service.ts';
import type { DomainEvent } from '../../src/db/domain-event.ts';
import type { DeviceConfiguration, ThresholdRule } from '../../src/devices/configuration.ts';
import { keyOfReading, type StoredReading } from '../../src/devices/reading.ts';
import type { SettingsPeriod } from '../../src/devices/settings.ts';
import { type Frame, type LockedDevice, receiveFrame } from '../../src/measurements/frame.ts';
import type { SurroundingRange } from '../../src/measurements/surrounding-readings.repository.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { EMPTY_FRAME, lockedDevice } from '../measurements/fixtures.ts';

export interface Sample {
  minute: number;
  /** °C; null: the sensor failed. */
  value: number | null;
}

export interface InForce {
  from: number;
  rules: (Bounds & { delayMinutes?: number; hours?: readonly [from: number, to: number] }) | null;
  periodMinutes: number | null;
}

export interface LateAlert {
  type: 'high_temp' | 'low_temp';
  from: number;
  to: number;
  value: number;
  extreme: [minute: number, value: number];
}

export const DAY = 1_440;
const START_MS = Date.UTC(2026, 2, 2);
const CHANNEL = 1;

const toDate = (minute: number) => new Date(START_MS + minute * MINUTE_MS);
const toMinute = (at: Date) => (at.getTime() - START_MS) / MINUTE_MS;

/** Whether the rules are active at that minute of the history. */
export function isActive(rules: InForce['rules'], minute: number): boolean {
  const [from, to] = rules?.hours ?? [0, 24];
  const ofDay = ((minute % DAY) + DAY) % DAY;
  return ofDay >= from * 60 && ofDay < to * 60;
}

export function createLateDevice(inForce: readonly InForce[]) {
  const settings = toPeriods(inForce);
  const readings = new Map<number, StoredReading>();
  const alerts: StoredAlert[] = [];
  const events: DomainEvent[] = [];
  let device: LockedDevice = lockedDevice();

  const batchesIn = () => ({
    async insert(made: NewAlert[]): Promise<StoredAlert[]> {
      const inserted = made.map((each, index) => toStored(each, `alert-${alerts.length + index}`));
      alerts.push(...inserted);
      return inserted;
    },
    async resolve(refs: Parameters<AlertBatchesRepository['resolve']>[0]): Promise<StoredAlert[]> {
      const ended = refs.map(({ alertId, endedAt }) => {
        const alert = alerts.find(({ id }) => id === alertId) as StoredAlert;
        return Object.assign(alert, { status: 'resolved', endedAt: endedAt ?? toDate(0) });
      });
      return ended;
    },
    async lengthen(lengthened: Parameters<AlertBatchesRepository['lengthen']>[0]): Promise<void> {
      for (const { alertId, startedAt, value, over } of lengthened) {
        const alert = alerts.find(({ id }) => id === alertId) as StoredAlert;
        Object.assign(alert, { startedAt, details: { ...alert.details, value }, ...over });
      }
    },
    async listAround(): Promise<StoredAlert[]> {
      return alerts.filter(isOfTemperature).map((alert) => ({ ...alert }));
    },
    async updateOpenAlerts(states: OpenState[]): Promise<void> {
      for (const { openAlerts } of states) device = { ...device, openAlerts };
    },
    shareLockMonitoredConfigs: async () => new Map(),
  });
  const evaluate = createAlertEvaluation({
    batchesIn,
    evaluateLate: createLateExcursions({
      batchesIn,
      settingsIn: () => ({ listFrom: async () => new Map([[device.assetId, settings]]) }),
      readingsIn: () => ({
        find: async (ranges) => ranges.map((range) => surroundings(range, [...readings.values()])),
      }),
    }),
  });

  return {
    /** Receives a frame that arrives at that minute. */
    async receive(samples: readonly Sample[], arrival: number): Promise<void> {
      const config = settings.findLast(({ from }) => from <= toDate(arrival))?.config ?? null;
      const sync = { ...device.sync, confirmed: config };
      const stored = receiveFrame({ ...device, sync }, toFrame(samples, arrival), {
        now: toDate(arrival),
        stored: readings,
      });
      for (const reading of stored.fresh)
        readings.set(keyOfReading(reading), { ...reading, receivedAt: toDate(arrival), periodSeconds: null });
      device = { ...device, state: stored.state };
      events.push(...(await evaluate({ sql: null as never, afterCommit() {} }, [stored])));
    },
    /** Ordered by their beginning. */
    lateAlerts: (): LateAlert[] =>
      alerts
        .filter(({ late }) => late)
        .map(toLateAlert)
        .sort(byBeginning),
    liveAlerts: () =>
      alerts
        .filter((alert) => !alert.late && isOfTemperature(alert))
        .map(({ type, startedAt, endedAt }) => ({
          type,
          from: toMinute(startedAt),
          to: endedAt && toMinute(endedAt),
        })),
    /** Extremes of late alerts. */
    events: () =>
      events.flatMap(({ type, data }) => ('late' in data && data.late ? [type.slice('alert.'.length)] : [])),
    /** Whether a reading beyond the bounds of FRIDGE came late. */
    hasLateBreach: (from: number, to: number): boolean =>
      [...readings.values()].some(({ measuredAt, value, late }) => {
        const isBeyond = value !== null && (value > 8 || value < 2);
        return late && isBeyond && toMinute(measuredAt) >= from && toMinute(measuredAt) < to;
      }),
  };
}

const isOfTemperature = ({ type }: StoredAlert): boolean => type === 'high_temp' || type === 'low_temp';

const byBeginning = (a: LateAlert, b: LateAlert) => a.from - b.from || a.type.localeCompare(b.type);

function toLateAlert({ type, startedAt, endedAt, extreme, details }: StoredAlert): LateAlert {
  const { at, value } = extreme as { at: string; value: number };
  return {
    type: type as LateAlert['type'],
    from: toMinute(startedAt),
    to: toMinute(endedAt as Date),
    extreme: [toMinute(new Date(at)), value],
    value: (details as { value: number }).value,
  };
}

const toStored = ({ over, ...alert }: NewAlert, id: string): StoredAlert => ({
  ...alert,
  id,
  status: over ? 'resolved' : 'new',
  updatedAt: toDate(0),
  late: over !== undefined,
  endedAt: over?.endedAt ?? null,
  extreme: over?.extreme ?? null,
  acknowledgedAt: null,
  acknowledgedBy: null,
  assignee: null,
  snoozeUntil: null,
  muted: false,
  escalation: null,
});

const toFrame = (samples: readonly Sample[], arrival: number): Frame => ({
  ...EMPTY_FRAME,
  organizationId: 'o',
  serialNumber: 's',
  readings: samples.map(({ minute, value }) => ({
    channel: CHANNEL,
    type: 1,
    value,
    error: value === null ? 8_388_557 : null,
    measuredAt: toDate(minute),
  })),
  receivedAt: toDate(arrival),
});

/** Up to the next sample after the range. */
function surroundings({ from, to, hasNext }: SurroundingRange, readings: StoredReading[]) {
  const ordered = readings.sort((a, b) => a.measuredAt.getTime() - b.measuredAt.getTime());
  const next = hasNext
    ? ordered.find((each) => each.value !== null && each.measuredAt.getTime() > to)
    : undefined;
  const until = next?.measuredAt.getTime() ?? to;
  const within = ordered.filter(({ measuredAt: at }) => at.getTime() >= from && at.getTime() <= until);
  return { from, to: until, readings: within };
}

function toPeriods(inForce: readonly InForce[]): SettingsPeriod[] {
  const ordered = inForce.toSorted((a, b) => a.from - b.from);
  return ordered.map(({ from, rules, periodMinutes }, index) => ({
    from: toDate(from),
    to: ordered[index + 1] ? toDate((ordered[index + 1] as InForce).from) : null,
    config: toConfig(rules),
    measurementPeriodSeconds: periodMinutes && periodMinutes * 60,
    transmissionIntervalSeconds: null,
    profileSlug: null,
    source: 'report',
  }));
}

function toConfig(rules: InForce['rules']): DeviceConfiguration {
  if (rules === null) return {};
  const { lowC, highC, hysteresisC, delayMinutes = 0, hours } = rules;
  const threshold = (condition: ThresholdRule['condition'], bound: number | null): ThresholdRule[] =>
    bound === null
      ? []
      : [
          {
            condition,
            slotNumbers: [CHANNEL - 1],
            alarmRuleType: 'TEMPERATURE',
            threshold: bound,
            hysteresis: hysteresisC,
            mode: 'CONSECUTIVE_SAMPLES',
            samples: 1,
            action: 'NO_ACTION' as ThresholdRule['action'],
            terms: { delayMinutes },
          },
        ];
  const alarmRules = [...threshold('HIGH_THRESHOLD', highC), ...threshold('LOW_THRESHOLD', lowC)];
  if (!hours) return { alarmRules };
  const [from, to] = hours;
  return {
    alarmRules,
    calendars: [
      {
        type: 'WEEK',
        enableRules: alarmRules.map((_, index) => index),
        days: [0, 1, 2, 3, 4, 5, 6],
        fromTime: from * 60,
        toTime: to * 60,
        timezone: 0,
      },
    ],
  };
}
