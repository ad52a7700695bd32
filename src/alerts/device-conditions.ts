/**
 * Alerts of a device that need no profile: a low battery, as reported in frames, and failing sensors. A pure
 * state machine per device, like the one of temperatures. A sensor fails while the newest sample of its
 * channel is an error.
 */
import type { ReportedBatteryStatus } from '../devices/device-status.ts';
import { newestByChannel, type Reading } from '../devices/reading.ts';
import type { LowBatteryDetails, SensorErrorDetails } from './alert.ts';

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
