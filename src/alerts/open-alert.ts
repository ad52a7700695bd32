/**
 * The open alerts of a device, as stored in device_states.open_alerts, so that evaluating readings reads no
 * alerts. `type` decides the shape.
 */
import type { OpenTemperatureAlert, TemperatureState, UnopenedBreach } from './alert-state-machine.ts';
import type { OpenConditionAlert } from './device-conditions.ts';

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

export const isNoData = (alert: AlertState): alert is OpenNoDataAlert => alert.type === 'no_data';

export const isTemperature = (alert: AlertState): alert is OpenTemperatureAlert =>
  alert.type === 'high_temp' || alert.type === 'low_temp';

export const isBreach = (state: AlertState): state is UnopenedBreach => state.type === 'breach';

/** What the alert rules of the device have begun, and what ends with them. */
export const isByRules = (state: AlertState): state is TemperatureState =>
  isTemperature(state) || isBreach(state);

export const isUnended = (state: AlertState): state is UnendedExcursion => state.type === 'late_excursion';

export const isOpen = (state: AlertState): state is OpenAlert => !isBreach(state) && !isUnended(state);

export const isCondition = (alert: AlertState): alert is OpenConditionAlert =>
  alert.type === 'low_battery' || alert.type === 'sensor_error';
