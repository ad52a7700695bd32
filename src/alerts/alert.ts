/** What went wrong at a place, from the reading (or the silence) that showed it to the one that ended it. */
import type { Bounds } from './alert-definition.ts';

export const ALERT_TYPES = ['high_temp', 'low_temp', 'no_data'] as const;
export const ALERT_STATUSES = ['new', 'acknowledged', 'resolved'] as const;
export type AlertType = (typeof ALERT_TYPES)[number];
export type AlertStatus = (typeof ALERT_STATUSES)[number];

export type AlertDetails = TemperatureDetails | NoDataDetails;

export interface TemperatureDetails {
  channel: number;
  /** °C, of the reading that opened it. */
  value: number;
  bounds: Bounds;
}

export interface NoDataDetails {
  /** When the device should have been heard at the latest, ISO 8601. */
  expectedBy: string;
}

export interface Alert {
  id: string;
  assetId: string;
  serialNumber: string;
  type: AlertType;
  status: AlertStatus;
  details: AlertDetails;
  /** When it began: the time of the reading. */
  timestamp: Date;
  updatedAt: Date;
}

export const NO_SUCH_ALERT = 'No alert has this id';

export type AlertView = ReturnType<typeof alertView>;

export function alertView(alert: Alert) {
  return {
    ...alert,
    recType: 'alert',
    timestamp: alert.timestamp.toISOString(),
    updatedAt: alert.updatedAt.toISOString(),
  };
}
