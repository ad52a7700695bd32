/** Builds the messages of a simulated logger from its state. */
import { MEASUREMENT_PERIOD_MAX } from '../../src/devices/configuration.ts';
import type { ConfigReport } from '../../src/gateway/config-message.ts';
import type { DeviceInfo } from '../../src/gateway/device-info-message.ts';
import type { MeasuredChannel, MeasurementsMessage } from '../../src/gateway/measurements-message.ts';
import { type DeviceState, type DeviceTraits, samplePeriodSeconds } from './device-state.ts';
import { emptyReport } from './logger-messages.ts';
import { metMask } from './rule-states.ts';
import type { Sample } from './sample-memory.ts';

/** Replaces the offset of a sample when the sensor failed (Efento proto_measurements.proto, sample_offsets). */
const SENSOR_FAILED = 8_388_557;
const RETRIES_MAX = 31;
const BATTERY_MILLIVOLTS = 3_600;

/** The samples are equally spaced; there is at least one. */
export function measurementsOf(
  traits: DeviceTraits,
  state: DeviceState,
  samples: readonly Sample[],
  nextTransmissionMs: number,
): MeasurementsMessage {
  const { base, factor } = inFactors((samples[0] as Sample).periodSeconds);
  return {
    serialNumber: traits.serialNumber,
    batteryOk: true,
    measurementPeriodBase: base,
    measurementPeriodFactor: factor,
    nextTransmissionAt: wholeSeconds(nextTransmissionMs + samplePeriodSeconds(traits, state) * 1000),
    transferReason: reasonOf(state),
    signal: traits.signal,
    configurationHash: state.hash,
    extendedConfigurationHash: null,
    cloudToken: traits.cloudToken ?? '',
    batteryLevel: null,
    channels: traits.channelTypes.map((type, index) => channelOf(type, index, samples)),
  };
}

function channelOf(type: number, index: number, samples: readonly Sample[]): MeasuredChannel {
  if (type === 0) return { number: index + 1, type: 0, timestamp: 0, startPoint: 0, sampleOffsets: [] };
  const values = samples.map((sample) => sample.values[index] ?? null);
  const startPoint = values.find((value) => value !== null) ?? 0;
  return {
    number: index + 1,
    type,
    timestamp: (samples[0] as Sample).at,
    startPoint,
    sampleOffsets: values.map((value) => (value === null ? SENSOR_FAILED : value - startPoint)),
  };
}

const reasonOf = ({ isFirst, retries, rules }: DeviceState) =>
  (isFirst ? 1 : 0) | (Math.min(retries, RETRIES_MAX) << 3) | (metMask(rules) << 8);

/** As base × factor, with the smallest factor that divides evenly. */
export function inFactors(seconds: number): { base: number; factor: number } {
  for (let factor = Math.ceil(seconds / MEASUREMENT_PERIOD_MAX); factor <= MEASUREMENT_PERIOD_MAX; factor++) {
    if (seconds % factor === 0) return { base: seconds / factor, factor };
  }
  return { base: MEASUREMENT_PERIOD_MAX, factor: Math.round(seconds / MEASUREMENT_PERIOD_MAX) };
}

export const reportOf = (
  { serialNumber, cloudToken, channelTypes }: DeviceTraits,
  state: DeviceState,
): ConfigReport => ({
  ...emptyReport(),
  serialNumber,
  config: state.config,
  configurationHash: state.hash,
  configurationErrors: state.refusal?.codes ?? [],
  configurationErrorsAt: state.refusal?.at ?? null,
  cloudToken,
  channelTypes: [...channelTypes],
});

export const infoOf = ({ serialNumber, cloudToken, softwareVersion, signal }: DeviceTraits): DeviceInfo => ({
  serialNumber,
  cloudToken: cloudToken ?? '',
  softwareVersion,
  batteryMillivolts: BATTERY_MILLIVOLTS,
  modem: { rsrpDbm: signal - 125, rsrqDb: -11, rssiDbm: signal - 110, sinrDb: 9, band: 20, ecl: 0 },
});

const wholeSeconds = (ms: number) => new Date(Math.ceil(ms / 1000) * 1000);
