/** What the frames of one batch do to the alerts of one device. */
import { TEMPERATURE } from '../devices/channel-layout.ts';
import { monitoredConfig } from '../devices/device-sync.ts';
import type { StoredFrame } from '../measurements/stored-frame.ts';
import type { AlertResolution } from './alert.ts';
import { definitionsOf } from './alert-definition.ts';
import { type AlertTransition, createAlertEvaluator, type EvaluatedReading } from './alert-state-machine.ts';
import { type ConditionTransition, createConditionEvaluator } from './device-conditions.ts';
import { isCondition, isNoData, isTemperature, type OpenAlert } from './open-alert.ts';

export type DeviceTransition = AlertTransition | ConditionTransition;
export type DeviceAlerts = ReturnType<typeof createDeviceAlerts>;

export function createDeviceAlerts(initial: readonly OpenAlert[]) {
  const evaluator = createAlertEvaluator(initial.filter(isTemperature));
  const conditions = createConditionEvaluator(initial.filter(isCondition));
  // Any frame ends them.
  const resolved: ResolvedAlert[] = initial.filter(isNoData).map(withoutResolution);
  let hasChanged = resolved.length > 0;

  function evaluateTemperatures({ sync, fresh }: StoredFrame): AlertTransition[] {
    const monitored = monitoredConfig(sync);
    const definitions = monitored ? definitionsOf(monitored) : [];
    const stale = evaluator.resolveUndefined(definitions);
    resolved.push(...stale.map(withoutResolution));
    if (stale.length > 0) hasChanged = true;
    return definitions.length === 0 ? [] : evaluator.evaluate(definitions, evaluatedReadings(fresh));
  }

  return {
    evaluate(stored: StoredFrame): DeviceTransition[] {
      const transitions = [...evaluateTemperatures(stored), ...conditions.evaluate(toEvaluatedFrame(stored))];
      for (const transition of transitions) {
        if (transition.kind !== 'breach') hasChanged = true;
        if (transition.kind === 'resolved') resolved.push({ resolution: null, ...transition });
      }
      return transitions;
    },
    hasChanged: () => hasChanged,
    open: (): OpenAlert[] => [...evaluator.open(), ...conditions.open()],
    /** Once those that opened within the batch have their ids. */
    resolved: (): Array<{ alertId: string; resolution: AlertResolution | null }> =>
      resolved.map(({ alert, resolution }) => ({ alertId: alert.alertId as string, resolution })),
  };
}

interface ResolvedAlert {
  alert: OpenAlert;
  resolution: AlertResolution | null;
}

const withoutResolution = (alert: OpenAlert): ResolvedAlert => ({ alert, resolution: null });

function evaluatedReadings(fresh: StoredFrame['fresh']): EvaluatedReading[] {
  return fresh
    .flatMap(({ late, type, value, channel, measuredAt }) =>
      late || type !== TEMPERATURE ? [] : [{ channel, value, measuredAt }],
    )
    .toSorted((a, b) => a.measuredAt.getTime() - b.measuredAt.getTime());
}

const toEvaluatedFrame = ({ frame: { batteryStatus, receivedAt }, fresh }: StoredFrame) => ({
  batteryStatus,
  receivedAt,
  samples: fresh.filter(({ late }) => !late),
});
