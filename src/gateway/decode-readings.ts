/**
 * Turns a frame's samples into readings: values in their unit, each at its own time (Efento
 * proto_measurements.proto, the comment on sample_offsets).
 */
import {
  isInRange,
  type MeasurementType,
  measuredValue,
  measurementTypeOf,
} from '../devices/measurement-type.ts';
import type { Reading } from '../devices/reading.ts';
import {
  continuousPeriodSeconds,
  type MeasuredChannel,
  type MeasurementsMessage,
} from './measurements-message.ts';

/**
 * By channel, oldest first. Samples of unknown types give no reading; a sensor error is a reading without a
 * value, and so is an impossible value, whose error is the integer that was sent.
 */
export function decodeReadings(message: MeasurementsMessage): Reading[] {
  const period = continuousPeriodSeconds(message);
  const readings: Reading[] = [];
  for (const channel of message.channels) {
    const type = measurementTypeOf(channel.type);
    if (type?.kind === 'binary') addBinary(readings, channel, type);
    else if (type) addContinuous(readings, channel, type, period);
  }
  return readings;
}

/** Offsets in this range are the sensor's error codes (Efento proto_measurements.proto, sample_offsets). */
const ERROR_CODE_MIN = 8_355_840;
const ERROR_CODE_MAX = 8_388_607;

function addContinuous(
  readings: Reading[],
  { number, timestamp, startPoint, sampleOffsets }: MeasuredChannel,
  type: MeasurementType,
  period: number,
): void {
  for (let index = 0; index < sampleOffsets.length; index++) {
    const offset = sampleOffsets[index] as number;
    readings.push({
      channel: number,
      type: type.number,
      ...(isErrorCode(offset) ? errorOnly(offset) : valueOrError(type, startPoint + offset)),
      measuredAt: new Date((timestamp + index * period) * 1000),
    });
  }
}

const isErrorCode = (offset: number) => offset >= ERROR_CODE_MIN && offset <= ERROR_CODE_MAX;

const errorOnly = (error: number) => ({ value: null, error });

function valueOrError(type: MeasurementType, raw: number): Pick<Reading, 'value' | 'error'> {
  const value = measuredValue(type, raw);
  return isInRange(type, value) ? { value, error: null } : errorOnly(toInt32(raw));
}

/** The sum of two 32-bit integers may need 33 bits, and errors are stored with 32. */
const toInt32 = (raw: number) => Math.min(Math.max(raw, -(2 ** 31)), 2 ** 31 - 1);

/** The sign is the state, the amount minus 1 the seconds since the timestamp; 0 is no sample. */
function addBinary(
  readings: Reading[],
  { number, timestamp, sampleOffsets }: MeasuredChannel,
  type: MeasurementType,
): void {
  for (const offset of sampleOffsets) {
    if (offset === 0) continue;
    const isError = isErrorCode(offset);
    const seconds = isError ? 0 : Math.abs(offset) - 1;
    readings.push({
      channel: number,
      type: type.number,
      value: isError ? null : offset > 0 ? 1 : 0,
      error: isError ? offset : null,
      measuredAt: new Date((timestamp + seconds) * 1000),
    });
  }
}
