/**
 * The alerts that are open for a device, as device_states.open_alerts keeps them: readings are evaluated without a
 * look-up in alerts. `type` decides the shape.
 */
import type { OpenTemperatureAlert, UnopenedBreach } from './alert-state-machine.ts';
import type { OpenConditionAlert } from './device-conditions.ts';

export type OpenAlert = OpenTemperatureAlert | OpenNoDataAlert | OpenConditionAlert;
/** Beside the open ones stand breaches that are to last longer before they open an alert, and excursions in late data. */
export type AlertState = OpenAlert | UnopenedBreach | UnendedExcursion;

/** The newest sample of a channel is part of an excursion in late data, which the next one may lengthen or end. */
export interface UnendedExcursion {
  type: 'late_excursion';
  channel: number;
  /** Of that sample, in Unix milliseconds. */
  unendedAt: number;
}

export interface OpenNoDataAlert {
  type: 'no_data';
  alertId: string;
}

export const isNoData = (alert: AlertState): alert is OpenNoDataAlert => alert.type === 'no_data';

export const isTemperature = (alert: AlertState): alert is OpenTemperatureAlert =>
  alert.type === 'high_temp' || alert.type === 'low_temp';

export const isBreach = (state: AlertState): state is UnopenedBreach => state.type === 'breach';

export const isUnended = (state: AlertState): state is UnendedExcursion => state.type === 'late_excursion';

export const isOpen = (state: AlertState): state is OpenAlert => !isBreach(state) && !isUnended(state);

export const isCondition = (alert: AlertState): alert is OpenConditionAlert =>
  alert.type === 'low_battery' || alert.type === 'sensor_error';
