/** What the frames of one batch do to the alerts of one device. */
import { TEMPERATURE } from '../devices/channel-layout.ts';
import type { StoredFrame } from '../measurements/stored-frame.ts';
import { definitionsOf } from './alert-definition.ts';
import {
  type AlertTransition,
  createAlertEvaluator,
  type EvaluatedReading,
  type OpenAlert,
} from './alert-state-machine.ts';
import type { OpenAlerts } from './open-alerts.ts';

export type DeviceAlerts = ReturnType<typeof createDeviceAlerts>;

export function createDeviceAlerts({ temperature, noData }: OpenAlerts) {
  const course = createAlertEvaluator(temperature);
  const closed: OpenAlert[] = [];
  let isSilent = noData !== null;
  let hasChanged = false;
  return {
    take({ rules, fresh }: StoredFrame): AlertTransition[] {
      if (isSilent) hasChanged = true;
      isSilent = false;
      const definitions = rules ? definitionsOf(rules) : [];
      const orphans = course.resolveUndefined(definitions);
      closed.push(...orphans);
      if (orphans.length > 0) hasChanged = true;
      const steps = course.take(definitions, evaluatedReadings(fresh));
      for (const step of steps) {
        if (step.kind !== 'breached') hasChanged = true;
        if (step.kind === 'closed') closed.push(step.alert);
      }
      return steps;
    },
    hasChanged: () => hasChanged,
    open: (): OpenAlerts => ({ temperature: course.open(), noData: isSilent ? noData : null }),
    /** Once those that were opened on the way have their ids. */
    closedIds: (): string[] => [
      ...closed.map(({ alertId }) => alertId as string),
      ...(noData !== null && !isSilent ? [noData] : []),
    ],
  };
}

function evaluatedReadings(fresh: StoredFrame['fresh']): EvaluatedReading[] {
  return fresh
    .flatMap(({ late, type, value, channel, measuredAt }) =>
      late || value === null || type !== TEMPERATURE ? [] : [{ channel, value, measuredAt }],
    )
    .toSorted((a, b) => a.measuredAt.getTime() - b.measuredAt.getTime());
}
