/** The effects of the frames of one batch on the alerts of one device. */

import { measurementIntervalSeconds } from '../devices/configuration.ts';
import { TEMPERATURE } from '../devices/device-capabilities.ts';
import { monitoredConfig } from '../devices/device-sync.ts';
import type { ReceivedFrame } from '../measurements/frame.ts';
import type { AlertResolution } from './alert.ts';
import { definitionsOf } from './alert-definition.ts';
import { type AlertTransition, createAlertEvaluator, type EvaluatedReading } from './alert-state-machine.ts';
import { type ConditionTransition, createConditionEvaluator } from './device-conditions.ts';
import {
  type AlertState,
  isByRules,
  isCondition,
  isNoData,
  isUnended,
  type OpenAlert,
  type UnendedExcursion,
} from './open-alert.ts';

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
    return definitions.length === 0 ? [] : evaluator.evaluate(definitions, evaluatedReadings(stored));
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
