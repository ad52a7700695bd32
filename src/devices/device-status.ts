/** The radio signal and the battery of a device, as customers see them. */
export const SIGNAL_STRENGTHS = ['good', 'fair', 'poor', 'unknown'] as const;
export const BATTERY_STATUSES = ['ok', 'low', 'unknown'] as const;

export type SignalStrength = (typeof SIGNAL_STRENGTHS)[number];
export type BatteryStatus = (typeof BATTERY_STATUSES)[number];
/** What a device can say of its battery. */
export type ReportedBatteryStatus = Exclude<BatteryStatus, 'unknown'>;

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
