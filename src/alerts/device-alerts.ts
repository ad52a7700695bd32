/**
 * The alerts of one device: what is open, and the effects of the frames of a batch. What is open is stored in
 * device_states.open_alerts, so that evaluating readings reads no alerts; `type` decides the shape.
 *
 * Temperature alerts have a state machine of their own (alert-state-machine.ts). Alerts that need no profile follow here:
 * a low battery, as reported in frames, and failing sensors. A sensor fails while the newest sample of its channel is an
 * error.
 */
import { measurementIntervalSeconds } from '../devices/configuration.ts';
import { TEMPERATURE } from '../devices/device-capabilities.ts';
import type { ReportedBatteryStatus } from '../devices/device-status.ts';
import { monitoredConfig } from '../devices/device-sync.ts';
import { newestByChannel, type Reading } from '../devices/reading.ts';
import type { ReceivedFrame } from '../measurements/frame.ts';
import type { AlertResolution, LowBatteryDetails, SensorErrorDetails } from './alert.ts';
import { definitionsOf } from './alert-definition.ts';
import {
  type AlertTransition,
  createAlertEvaluator,
  type EvaluatedReading,
  type OpenTemperatureAlert,
  type TemperatureState,
  type UnopenedBreach,
  withLatestAlerts,
} from './alert-state-machine.ts';

export type OpenAlert = OpenTemperatureAlert | OpenNoDataAlert | OpenConditionAlert;
/**
 * Besides open alerts, the state holds breaches that have not lasted their delay, and excursions in late
 * data: both in device_states.excursions.
 */
export type AlertState = OpenAlert | UnopenedBreach | UnendedExcursion;

/**
 * The newest sample of a channel is part of an excursion in late data, which the next one may extend or end.
 */
export interface UnendedExcursion {
  type: 'late_excursion';
  channel: number;
  /** Time of that sample, in Unix milliseconds. */
  unendedAt: number;
}

interface OpenNoDataAlert {
  type: 'no_data';
  alertId: string;
}

interface OpenLowBatteryAlert {
  type: 'low_battery';
  /** Null until the alert is stored. */
  alertId: string | null;
}

interface OpenSensorErrorAlert {
  type: 'sensor_error';
  alertId: string | null;
  channel: number;
  /** Unix milliseconds of the error; older values do not end the alert. */
  errorAt: number;
}

export type OpenConditionAlert = OpenLowBatteryAlert | OpenSensorErrorAlert;

export const isNoData = (alert: AlertState): alert is OpenNoDataAlert => alert.type === 'no_data';

export const isTemperature = (alert: AlertState): alert is OpenTemperatureAlert =>
  alert.type === 'high_temp' || alert.type === 'low_temp';

const isBreach = (state: AlertState): state is UnopenedBreach => state.type === 'breach';

/** What the alert rules of the device have begun, and what ends with them. */
export const isByRules = (state: AlertState): state is TemperatureState =>
  isTemperature(state) || isBreach(state);

const isUnended = (state: AlertState): state is UnendedExcursion => state.type === 'late_excursion';

export const isOpen = (state: AlertState): state is OpenAlert => !isBreach(state) && !isUnended(state);

export const isCondition = (alert: AlertState): alert is OpenConditionAlert =>
  alert.type === 'low_battery' || alert.type === 'sensor_error';

export type DeviceTransition = AlertTransition | ConditionTransition;
export type DeviceAlerts = ReturnType<typeof createDeviceAlerts>;

export function createDeviceAlerts(initial: readonly AlertState[]) {
  const evaluator = createAlertEvaluator(initial.filter(isByRules));
  const conditions = createConditionEvaluator(initial.filter(isCondition));
  // Any frame resolves these alerts.
  const resolved: ResolvedAlert[] = initial.filter(isNoData).map(withoutResolution);
  let unended: readonly UnendedExcursion[] = initial.filter(isUnended);
  const state = (): AlertState[] => [
    ...evaluator.open(),
    ...evaluator.unopened(),
    ...conditions.open(),
    ...unended,
  ];

  function evaluateTemperatures(stored: ReceivedFrame): AlertTransition[] {
    const monitored = monitoredConfig(stored.device.sync);
    const definitions = monitored ? definitionsOf(monitored) : [];
    const stale = evaluator.resolveUndefined(definitions);
    resolved.push(...stale.map(withoutResolution));
    if (definitions.length === 0) return [];
    return withLatestAlerts(evaluator.evaluate(definitions, evaluatedReadings(stored)));
  }

  return {
    evaluate(stored: ReceivedFrame): DeviceTransition[] {
      const transitions = [...evaluateTemperatures(stored), ...conditions.evaluate(toConditions(stored))];
      for (const transition of transitions) {
        if (transition.kind !== 'resolved') continue;
        const { alert, resolution } = { resolution: null, ...transition };
        // The reading may come from a fast clock.
        const endedAt = earlier(timeOf(transition), stored.frame.receivedAt);
        resolved.push({ alert, resolution, endedAt });
      }
      return transitions;
    },
    unended: () => unended,
    /** Called after the readings of these channels were evaluated. */
    setUnended(
      evaluated: ReadonlyArray<{ channel: number }>,
      next: ReadonlyArray<Omit<UnendedExcursion, 'type'>>,
    ): void {
      const others = unended.filter(({ channel }) => !evaluated.some((each) => each.channel === channel));
      unended = [...others, ...next.map((each) => ({ type: 'late_excursion' as const, ...each }))];
    },
    hasChanged: () => state().length !== initial.length || state().some((each) => !initial.includes(each)),
    state,
    /** To be called once the alerts that opened within the batch have their ids. */
    resolved: (): Array<{ alertId: string; resolution: AlertResolution | null; endedAt: Date | null }> =>
      resolved.map(({ alert, ...end }) => ({ alertId: alert.alertId as string, ...end })),
  };
}

interface ResolvedAlert {
  alert: OpenAlert;
  resolution: AlertResolution | null;
  /** Time of the reading or the frame that ended it, at the latest its receipt; null: it ends now. */
  endedAt: Date | null;
}

const earlier = (one: Date, other: Date): Date => (one < other ? one : other);

const withoutResolution = (alert: OpenAlert): ResolvedAlert => ({ alert, resolution: null, endedAt: null });

/** The time of opening or resolution, by the device's clock. */
export const timeOf = (transition: Exclude<DeviceTransition, { kind: 'breach' }>): Date =>
  'reading' in transition ? transition.reading.measuredAt : transition.at;

function evaluatedReadings({ frame, fresh, device: { sync } }: ReceivedFrame): EvaluatedReading[] {
  const periodSeconds =
    frame.measurementPeriodSeconds ??
    measurementIntervalSeconds(sync.reported?.config ?? {}) ??
    measurementIntervalSeconds(monitoredConfig(sync) ?? {});
  return fresh
    .flatMap(({ late, type, value, channel, measuredAt }) =>
      late || type !== TEMPERATURE ? [] : [{ channel, value, measuredAt, periodSeconds }],
    )
    .toSorted((a, b) => a.measuredAt.getTime() - b.measuredAt.getTime());
}

const toConditions = ({ frame: { batteryStatus, receivedAt }, fresh }: ReceivedFrame) => ({
  batteryStatus,
  receivedAt,
  samples: fresh.filter(({ late }) => !late),
});

export interface FrameConditions {
  /** Null when the frame does not contain it. */
  batteryStatus: ReportedBatteryStatus | null;
  receivedAt: Date;
  /** In any order, without late ones. */
  samples: readonly Reading[];
}

export type ConditionTransition =
  | {
      kind: 'opened';
      alert: OpenConditionAlert;
      details: LowBatteryDetails | SensorErrorDetails;
      at: Date;
    }
  | { kind: 'resolved'; alert: OpenConditionAlert; at: Date };

/** A state machine of the alerts that need no profile. */
export function createConditionEvaluator(initial: readonly OpenConditionAlert[]) {
  let battery = initial.find((alert) => alert.type === 'low_battery') ?? null;
  const sensors = new Map<number, OpenSensorErrorAlert>();
  for (const alert of initial) if (alert.type === 'sensor_error') sensors.set(alert.channel, alert);

  function* evaluateBattery({ batteryStatus, receivedAt: at }: FrameConditions) {
    if (batteryStatus === 'low' && !battery) {
      battery = { type: 'low_battery', alertId: null };
      yield { kind: 'opened' as const, alert: battery, details: {}, at };
    } else if (batteryStatus === 'ok' && battery) {
      const alert = battery;
      battery = null;
      yield { kind: 'resolved' as const, alert, at };
    }
  }

  function* evaluateSample({ channel, error, measuredAt: at }: Reading, receivedAt: Date) {
    const open = sensors.get(channel);
    if (error !== null && !open) {
      // Without this limit, an error from a fast clock would delay the end of the alert.
      const errorAt = Math.min(at.getTime(), receivedAt.getTime());
      const alert: OpenSensorErrorAlert = { type: 'sensor_error', alertId: null, channel, errorAt };
      sensors.set(channel, alert);
      yield { kind: 'opened' as const, alert, details: { channel, error }, at };
    } else if (error === null && open && at.getTime() > open.errorAt) {
      sensors.delete(channel);
      yield { kind: 'resolved' as const, alert: open, at };
    }
  }

  return {
    evaluate(frame: FrameConditions): ConditionTransition[] {
      const transitions: ConditionTransition[] = [...evaluateBattery(frame)];
      for (const sample of newestByChannel(frame.samples))
        transitions.push(...evaluateSample(sample, frame.receivedAt));
      return transitions;
    },
    open: () => [...(battery ? [battery] : []), ...sensors.values()],
  };
}
