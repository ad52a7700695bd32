/**
 * Terms of an alert that the service alone keeps: they stand beside the threshold rules that it compiled, are never sent to
 * a device, and do not count where a report is compared with what was sent.
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
