/**
 * The alerts that are open for a device, as device_states.open_alerts keeps them: readings are evaluated without a
 * look-up in alerts. `type` decides the shape.
 */
import type { OpenTemperatureAlert } from './alert-state-machine.ts';
import type { OpenConditionAlert } from './device-conditions.ts';

export type OpenAlert = OpenTemperatureAlert | OpenNoDataAlert | OpenConditionAlert;

export interface OpenNoDataAlert {
  type: 'no_data';
  alertId: string;
}

export const isNoData = (alert: OpenAlert): alert is OpenNoDataAlert => alert.type === 'no_data';

export const isTemperature = (alert: OpenAlert): alert is OpenTemperatureAlert =>
  alert.type === 'high_temp' || alert.type === 'low_temp';

export const isCondition = (alert: OpenAlert): alert is OpenConditionAlert =>
  alert.type === 'low_battery' || alert.type === 'sensor_error';
