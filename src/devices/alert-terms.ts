/**
 * Terms of an alert that only the service keeps: they are stored beside the compiled threshold rules, are
 * never sent to a device, and do not count when a report is compared with the sent configuration.
 */
export const SEVERITIES = ['warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const DELAY_MAX_MINUTES = 1_440;

export interface AlertTerms {
  /** How long a breach lasts before the alert opens; absent: 0. */
  delayMinutes?: number;
  /** Absent: critical. */
  severity?: Severity;
}
