/** Meanings of the states on the pages, in one sentence each; docs/states.md lists the same sentences. */

const MEANINGS: Record<string, string> = {
  // Devices.
  new: 'A device that has not been in contact yet, or an alert that needs somebody.',
  online: 'The device keeps to its deadlines of contact.',
  offline: 'The device missed the deadline of its next contact.',
  low: 'The device reports that its battery is low.',
  ok: 'The device reports that its battery is good.',
  unknown: 'The device has not reported it.',
  good: 'The signal is strong.',
  fair: 'The signal suffices.',
  poor: 'The signal is weak: messages may need several attempts.',
  sensor_error: 'The sensor of this channel reports an error instead of a value.',
  // Configurations, jobs and their devices.
  no_device_report: 'The device never reported which configuration it runs.',
  pending: 'A change that the device has not fetched yet, or a delivery before its first attempt.',
  sent: 'The device fetched the change and has not confirmed it yet.',
  applied: 'The device reported that it runs the settings it was given.',
  drifted: 'Nothing is pending, but the device runs another configuration than the confirmed one.',
  queued: 'The stage of the rollout with this device has not begun.',
  waiting: 'The device has not fetched the change yet.',
  failed: 'The device refused the change, or the last attempt at a delivery failed.',
  cancelled: 'It was withdrawn before it was done.',
  superseded: 'A later apply set one of the same settings to another value.',
  timed_out: 'The device did not apply the change before the deadline.',
  scheduled: 'The job starts later.',
  running: 'Devices of the job still have to apply the change.',
  succeeded: 'Every device of the job applied the change.',
  completed_with_failures: 'The job ended, and some devices failed or timed out.',
  aborted: 'The first stage did badly, so that the other devices were left alone.',
  // Alerts.
  acknowledged: 'Somebody takes care of the alert.',
  resolved: 'The alert is over.',
  late: 'The excursion was over before its readings arrived.',
  muted: 'The device is under maintenance: people are not notified.',
  warning: 'An alert below critical.',
  // Deliveries, webhooks and channels.
  delivered: 'The receiver answered with success.',
  retrying: 'An attempt failed, and the next one is planned.',
  held: 'It waits because its webhook is disabled.',
  blocked: 'The address of the receiver is not allowed, which is final.',
  healthy: 'Deliveries are sent as they come.',
  failing: 'The latest attempts failed.',
  recovering: 'What waited is sent at a growing pace.',
  active: 'It is switched on.',
  disabled: 'It is switched off: nothing is sent.',
  unconfirmed: 'The address has not been confirmed by its owner, so nothing is sent to it.',
};

/** Takes a state or its words; null for any other text. */
export function meaningOf(state: string): string | null {
  const name = state.replaceAll(' ', '_');
  return Object.hasOwn(MEANINGS, name) ? (MEANINGS[name] as string) : null;
}

export const STATES_WITH_MEANING: readonly string[] = Object.keys(MEANINGS);
