/** The radio signal and the battery of a device, as customers see them. */
export const SIGNAL_STRENGTHS = ['good', 'fair', 'poor', 'unknown'] as const;
export const BATTERY_STATUSES = ['ok', 'low', 'unknown'] as const;

export type SignalStrength = (typeof SIGNAL_STRENGTHS)[number];
export type BatteryStatus = (typeof BATTERY_STATUSES)[number];
/** Battery status as a device may report it. */
export type ReportedBatteryStatus = Exclude<BatteryStatus, 'unknown'>;

/**
 * The number on the wire, see `signalStrengthOf`; `omitted`: 0, or nothing from a logger whose frames carry
 * no signal.
 */
export type FrameSignal = number | 'omitted';

export interface KnownSignal {
  signalStrength: SignalStrength;
  /** Whether the device has sent it in a frame since its last device info with a signal. */
  sendsSignal: boolean;
}

/** A frame without a signal keeps the last one, for instance from the device info. */
export function afterFrameSignal(known: KnownSignal, signal: FrameSignal | null): KnownSignal {
  if (typeof signal === 'number') return { signalStrength: signalStrengthOf(signal), sendsSignal: true };
  const isZero = signal === 'omitted' && known.sendsSignal;
  return { signalStrength: isZero ? 'unknown' : known.signalStrength, sendsSignal: known.sendsSignal };
}

/** After a device info that has one. */
export const afterInfoSignal = (rssiDbm: number): KnownSignal => ({
  signalStrength: signalStrengthOfDbm(rssiDbm),
  sendsSignal: false,
});

const WEAKEST_DBM = -110;
const STRONGEST = 63;
const GOOD_DBM = -85;
const FAIR_DBM = -100;

/** Efento proto_measurements.proto, field `signal`: dBm is -110 + signal, from 1 to 63; 0 and 99 mean unknown. */
export function signalStrengthOf(signal: number): SignalStrength {
  return signal >= 1 && signal <= STRONGEST ? signalStrengthOfDbm(WEAKEST_DBM + signal) : 'unknown';
}

export function signalStrengthOfDbm(dbm: number): SignalStrength {
  if (dbm >= GOOD_DBM) return 'good';
  return dbm >= FAIR_DBM ? 'fair' : 'poor';
}
