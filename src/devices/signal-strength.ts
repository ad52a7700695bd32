/** Efento proto_measurements.proto, field `signal`: dBm is -110 + signal, from 1 to 63; 0 and 99 say nothing. */
export type SignalStrength = 'good' | 'fair' | 'poor' | 'unknown';

const WEAKEST_DBM = -110;
const STRONGEST = 63;
const GOOD_DBM = -85;
const FAIR_DBM = -100;

export function signalStrengthOf(signal: number): SignalStrength {
  return signal >= 1 && signal <= STRONGEST ? signalStrengthOfDbm(WEAKEST_DBM + signal) : 'unknown';
}

export function signalStrengthOfDbm(dbm: number): SignalStrength {
  if (dbm >= GOOD_DBM) return 'good';
  return dbm >= FAIR_DBM ? 'fair' : 'poor';
}
