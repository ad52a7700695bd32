/** A problem of an asset, from the reading or the missed deadline that opened the alert to its resolution. */

import type { Actor } from '../db/transaction.ts';
import type { Severity } from '../devices/alert-terms.ts';
import type { Bounds } from './alert-definition.ts';

export const ALERT_TYPES = ['high_temp', 'low_temp', 'no_data', 'low_battery', 'sensor_error'] as const;
export const ALERT_STATUSES = ['new', 'acknowledged', 'resolved'] as const;
export type AlertType = (typeof ALERT_TYPES)[number];
/** Profiles set the severity of these; all others are critical. */
export const WARNING_TYPES: readonly AlertType[] = ['high_temp', 'low_temp'];
/** Alerts are kept for years, so counting them takes longer as their number grows. */
export const COUNTED_MAX = 100_000;
export type AlertStatus = (typeof ALERT_STATUSES)[number];

export type AlertDetails = TemperatureDetails | NoDataDetails | LowBatteryDetails | SensorErrorDetails;

export interface TemperatureDetails {
  channel: number;
  /** °C; value of the first reading of the breach. */
  value: number;
  bounds: Bounds;
  /** Only set when the schedule ended it. */
  resolution?: AlertResolution;
}

/** The device measured outside of the windows of the alert's definition. */
export type AlertResolution = 'outside_schedule';

interface NoDataDetails {
  /** The deadline that the device missed, ISO 8601. */
  expectedBy: string;
}

export type LowBatteryDetails = Record<string, never>;

export interface SensorErrorDetails {
  channel: number;
  /** The sensor's error code. */
  error: number;
}

/** The value of an excursion that is farthest beyond its bound. */
export interface Extreme {
  /** °C */
  value: number;
  /** ISO 8601 */
  at: string;
}

/** Absent fields do not filter. */
export interface AlertFilter {
  status?: AlertStatus;
  type?: AlertType;
  severity?: Severity;
  late?: boolean;
  assetId?: string;
  groupId?: string;
}

export interface Alert {
  id: string;
  assetId: string;
  serialNumber: string;
  type: AlertType;
  severity: Severity;
  status: AlertStatus;
  details: AlertDetails;
  /** Time of the first reading of the breach, of the frame that opened it, or of the missed deadline. */
  startedAt: Date;
  updatedAt: Date;
  /** Whether late readings showed the excursion when it was already over. */
  late: boolean;
  /** Null while it is open. */
  endedAt: Date | null;
  /** Null unless it is late. */
  extreme: Extreme | null;
  acknowledgedAt: Date | null;
  acknowledgedBy: Actor | null;
  /** The person who takes care of the alert. */
  assignee: string | null;
  /** When the alert is new again if it is still open; null: it stays acknowledged. */
  snoozeUntil: Date | null;
  /** Whether the device is under maintenance, or was at the end of a resolved alert. */
  muted: boolean;
  /** Null: no policy matched the alert. */
  escalation: ShownEscalation | null;
}

/** Names of alerts for people. */
export const ALERT_NAMES: Record<AlertType, string> = {
  high_temp: 'too warm',
  low_temp: 'too cold',
  no_data: 'no contact',
  low_battery: 'low battery',
  sensor_error: 'sensor error',
};

/** The progress of an alert's escalation. */
export interface ShownEscalation {
  /** Id of the policy. */
  id: string;
  /** Number of steps made. */
  step: number;
  /** ISO 8601; null: no step follows. */
  nextStepAt: string | null;
}

/** Identifies an alert. */
export interface AlertRef {
  organizationId: string;
  alertId: string;
}

/** The keys as bindings of a statement on a set. */
export const alertKeys = (refs: readonly AlertRef[]) => ({
  organizationIds: refs.map(({ organizationId }) => organizationId),
  alertIds: refs.map(({ alertId }) => alertId),
});

export const NO_SUCH_ALERT = 'No alert has this id';

export type AlertView = ReturnType<typeof alertView>;

export function alertView({ id, assetId, serialNumber, type, severity, status, details, ...alert }: Alert) {
  return {
    id,
    assetId,
    serialNumber,
    type,
    severity,
    status,
    details,
    timestamp: alert.startedAt.toISOString(),
    updatedAt: alert.updatedAt.toISOString(),
    late: alert.late,
    endedAt: alert.endedAt?.toISOString() ?? null,
    extreme: alert.extreme,
    acknowledgedAt: alert.acknowledgedAt?.toISOString() ?? null,
    acknowledgedBy: alert.acknowledgedBy,
    assignee: alert.assignee,
    snoozeUntil: alert.snoozeUntil?.toISOString() ?? null,
    muted: alert.muted,
    escalation: alert.escalation,
    recType: 'alert',
  };
}
