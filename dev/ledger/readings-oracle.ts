/**
 * Each acknowledged reading is stored exactly once and unchanged; every stored reading was sent by a device.
 */
import type { Finding, LedgerReading, SentReadings, StoredDevice } from './records.ts';

export const readingKey = ({ channel, measuredAt }: Pick<LedgerReading, 'channel' | 'measuredAt'>) =>
  `${channel} ${measuredAt}`;

export function* checkReadings(sent: SentReadings, devices: readonly StoredDevice[]): Generator<Finding> {
  for (const { serialNumber, readings } of devices) {
    const ofDevice = sent.get(serialNumber) ?? new Map();
    const stored = new Map<string, LedgerReading>();
    for (const reading of readings) {
      const key = readingKey(reading);
      if (stored.has(key)) yield finding(serialNumber, key, 'is stored twice');
      stored.set(key, reading);
      if (!ofDevice.has(key)) yield finding(serialNumber, key, 'is stored and was never sent');
    }
    for (const [key, { reading, isAcknowledged }] of ofDevice) {
      const kept = stored.get(key);
      if (!kept && isAcknowledged) yield finding(serialNumber, key, 'was acknowledged and is not stored');
      if (kept && (kept.value !== reading.value || kept.type !== reading.type))
        yield finding(serialNumber, key, `was sent as ${reading.value} and is stored as ${kept.value}`);
    }
  }
}

const finding = (serialNumber: string, key: string, text: string): Finding => ({
  about: 'readings',
  text: `${serialNumber} ${key} ${text}`,
});
