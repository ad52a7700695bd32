import type { AlertView } from '../alerts/alert.ts';

/** Who took an alert in hand, and when. */
export interface Acknowledgement {
  alertId: string;
  /** Of the person or the key. */
  name: string;
  at: Date;
}

export type Acknowledgements = ReadonlyMap<string, Acknowledgement>;

/** What may have been acknowledged: an alert that resolved by itself has none. */
export const acknowledgeable = (alerts: readonly AlertView[]): string[] =>
  alerts.filter(({ status }) => status !== 'new').map(({ id }) => id);

export const byAlert = (all: readonly Acknowledgement[]): Acknowledgements =>
  new Map(all.map((each) => [each.alertId, each]));
