/** Records each reading that a device sends, whether the service acknowledged it, and each reported rule. */
import { setTimeout as delay } from 'node:timers/promises';
import type { AlarmRule } from '../../src/devices/configuration.ts';
import { measurementTypeOf } from '../../src/devices/measurement-type.ts';
import { decodeReadings, type MeasurementsMessage } from '../../src/gateway/measurements-message.ts';
import type { Uplink } from '../simulator/uplink.ts';
import { readingKey } from './readings-oracle.ts';
import type { RuleMark, SentReading, SentReadings } from './records.ts';

export interface FleetRecords {
  sent: SentReadings;
  /** Serial number → bounds of the rules that the device has reported. */
  reported: Map<string, RuleMark[]>;
  counts(): { sent: number; acknowledged: number };
}

export function createFleetRecords(): FleetRecords {
  const sent: SentReadings = new Map();
  return {
    sent,
    reported: new Map(),
    counts() {
      const all = [...sent.values()].flatMap((ofDevice) => [...ofDevice.values()]);
      return { sent: all.length, acknowledged: all.filter(({ isAcknowledged }) => isAcknowledged).length };
    },
  };
}

export const recordedUplink = (uplink: Uplink, records: FleetRecords): Uplink => ({
  ...uplink,
  async measurements(message, confirmable) {
    const noted = noteReadings(records.sent, message);
    const answer = await uplink.measurements(message, confirmable);
    // The answer to a non-confirmable message only shows that it was sent.
    if (answer) for (const each of noted) each.isAcknowledged = true;
    return answer;
  },
  async report(report, options) {
    const marks = [
      ...(records.reported.get(report.serialNumber) ?? []),
      ...marksIn(report.config.alarmRules ?? []),
    ];
    records.reported.set(report.serialNumber, marks);
    const isLatest = () => records.reported.get(report.serialNumber) === marks;
    return insist(() => uplink.report(report, options), { isWorthIt: () => uplink.answersAll && isLatest() });
  },
});

const TRIES_MAX = 60;
const PAUSE_MS = 2_000;

/** Over HTTP a lost report is not requested again: the device repeats it until it has a newer one. */
async function insist<T>(send: () => Promise<T>, { isWorthIt }: { isWorthIt(): boolean }): Promise<T> {
  for (let left = TRIES_MAX; ; left--) {
    try {
      return await send();
    } catch (error) {
      if (left === 0 || !isWorthIt()) throw error;
      await delay(PAUSE_MS);
      // The device may have sent a newer report meanwhile.
      if (!isWorthIt()) throw error;
    }
  }
}

function noteReadings(sent: SentReadings, message: MeasurementsMessage): SentReading[] {
  const ofDevice = sent.get(message.serialNumber) ?? new Map<string, SentReading>();
  sent.set(message.serialNumber, ofDevice);
  return decodeReadings(message).map(({ channel, type, value, measuredAt }) => {
    const reading = {
      channel,
      type: measurementTypeOf(type)?.name ?? String(type),
      value,
      measuredAt: measuredAt.toISOString(),
    };
    const key = readingKey(reading);
    const noted = ofDevice.get(key) ?? { reading, isAcknowledged: false };
    ofDevice.set(key, noted);
    return noted;
  });
}

const marksIn = (rules: readonly AlarmRule[]): RuleMark[] =>
  rules.flatMap((rule) =>
    rule.condition === 'HIGH_THRESHOLD' ? [{ highC: rule.threshold, hysteresisC: rule.hysteresis }] : [],
  );
