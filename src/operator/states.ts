/** States on the pages: their colours, and their meanings in one sentence each, which docs/states.md lists as well. */

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'quiet';

const STATES = {
  // Devices.
  new: ['info', 'A device that has not been in contact yet, or an alert that needs somebody.'],
  online: ['good', 'The device keeps to its deadlines of contact.'],
  offline: ['bad', 'The device missed the deadline of its next contact.'],
  archived: ['quiet', 'The device was taken out of service; its readings are kept.'],
  low: ['bad', 'The device reports that its battery is low.'],
  ok: ['quiet', 'The device reports that its battery is good.'],
  unknown: ['quiet', 'The device has not reported it.'],
  good: ['quiet', 'The signal is strong.'],
  fair: ['quiet', 'The signal suffices.'],
  poor: ['quiet', 'The signal is weak: messages may need several attempts.'],
  sensor_error: ['bad', 'The sensor of this channel reports an error instead of a value.'],
  // Rows of an import.
  to_be_registered: ['info', 'The check has found no fault: an import will register the device.'],
  registered: ['good', 'The import has registered the device.'],
  registered_before: ['quiet', 'The device was registered already, and is left as it is.'],
  // Configurations, jobs and their devices.
  no_profile: ['quiet', 'No profile is pending for the device, and it has never confirmed one.'],
  no_device_report: ['quiet', 'The device never reported which configuration it runs.'],
  pending: ['info', 'A change that the device has not fetched yet, or a delivery before its first attempt.'],
  sent: ['info', 'The device fetched the change and has not confirmed it yet.'],
  applied: ['good', 'The device reported that it runs the settings it was given.'],
  drifted: ['warn', 'Nothing is pending, but the device runs another configuration than the confirmed one.'],
  queued: ['quiet', 'The stage of the rollout with this device has not begun.'],
  waiting: ['info', 'The device has not fetched the change yet: it does so with its next contact.'],
  failed: [
    'bad',
    'The device refused the change, the last attempt at a delivery failed, or a row could not be imported.',
  ],
  cancelled: ['quiet', 'It was withdrawn before it was done.'],
  superseded: ['quiet', 'A later apply set one of the same settings to another value.'],
  timed_out: ['bad', 'The device did not apply the change before the deadline; it is still offered.'],
  scheduled: ['info', 'The job starts later.'],
  running: ['info', 'Devices of the job still have to apply the change.'],
  succeeded: ['good', 'Every device of the job applied the change.'],
  completed_with_failures: ['bad', 'The job ended, and some devices failed or timed out.'],
  aborted: ['bad', 'The first stage did badly, so that the other devices were left alone.'],
  // Alerts.
  acknowledged: ['warn', 'Somebody takes care of the alert.'],
  resolved: ['quiet', 'The alert is over.'],
  late: ['quiet', 'The excursion was over before its readings arrived.'],
  under_maintenance: ['quiet', 'People are not notified of the device. The API says muted.'],
  warning: ['warn', 'An alert below critical.'],
  // Deliveries, webhooks and channels.
  delivered: ['good', 'The receiver answered with success.'],
  retrying: ['warn', 'An attempt failed, and the next one is planned.'],
  sent_again: ['info', 'The delivery arrived before, and is sent once more because somebody asked for it.'],
  not_sent_yet: [
    'info',
    'Deliveries wait, and none was ever attempted: nothing shows yet whether the receiver works.',
  ],
  held: ['warn', 'It waits because its webhook is disabled.'],
  blocked: ['bad', 'The address of the receiver is not allowed; only a resend or replay tries again.'],
  healthy: ['good', 'Deliveries are sent as they come.'],
  failing: ['bad', 'The latest attempts failed.'],
  recovering: ['warn', 'What waited is sent at a growing pace.'],
  active: ['good', 'It is switched on.'],
  disabled: ['quiet', 'It is switched off: nothing is sent.'],
  unconfirmed: ['quiet', 'The address has not been confirmed by its owner, so nothing is sent to it.'],
} as const satisfies Record<string, readonly [Tone, string]>;

/** A page can show these states alone, so none is without a meaning. */
export type State = keyof typeof STATES;

export const ALL_STATES = Object.keys(STATES) as State[];

export const toneOf = (state: State): Tone => STATES[state][0];

export const meaningOf = (state: State): string => STATES[state][1];
