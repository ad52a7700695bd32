/**
 * Measurement types of loggers: the numbers and ranges of Efento's protocol (proto_measurement_types.proto) with our names.
 *
 * A value comes as an integer. Types with a divisor carry a remainder beside it (calibration state of a gas sensor,
 * which minor counter belongs to a major one): the quotient is the value, the remainder is about the sensor. Types 0
 * (no sensor) and 31 (a gateway's own) measure nothing and are not in the list.
 */
import { TEMPERATURE, TEMPERATURE_MAX_C, TEMPERATURE_MIN_C } from './device-capabilities.ts';

export interface MeasurementType {
  /** The number on the wire. */
  number: number;
  name: string;
  unit: string;
  /** Minimum and maximum in its unit; null for states. */
  range: Range | null;
  /** The value of one step of the integer, in the unit. */
  resolution: number;
  kind: 'continuous' | 'binary';
  /** Null if the integer is only the value. */
  divisor: number | null;
}

type Range = readonly [min: number, max: number];

const continuous = (
  number: number,
  name: string,
  unit: string,
  range: Range,
  { resolution = 1, divisor = null }: { resolution?: number; divisor?: number | null } = {},
): MeasurementType => ({ number, name, unit, range, resolution, kind: 'continuous', divisor });

const binary = (number: number, name: string): MeasurementType => ({
  number,
  name,
  unit: '',
  range: null,
  resolution: 1,
  kind: 'binary',
  divisor: null,
});

/** The largest number that a column for types holds; loggers have less than 50 of them. */
export const MEASUREMENT_TYPE_MAX = 32_767;

/** By number, ascending. */
export const MEASUREMENT_TYPES: readonly MeasurementType[] = [
  continuous(TEMPERATURE, 'temperature', '°C', [TEMPERATURE_MIN_C, TEMPERATURE_MAX_C], { resolution: 0.1 }),
  continuous(2, 'humidity', '%', [0, 100]),
  continuous(3, 'atmospheric_pressure', 'hPa', [1, 2_000], { resolution: 0.1 }),
  continuous(4, 'differential_pressure', 'Pa', [-10_000, 10_000]),
  binary(5, 'ok_alarm'),
  continuous(6, 'iaq', 'IAQ', [0, 500], { divisor: 3 }),
  binary(7, 'flooding'),
  continuous(8, 'pulse_count', 'pulses', [0, 8_000_000]),
  continuous(9, 'electricity_meter', 'Wh', [0, 8_000_000]),
  continuous(10, 'water_meter', 'l', [0, 8_000_000]),
  continuous(11, 'soil_moisture', 'kPa', [-1_000, 0]),
  continuous(12, 'co', 'ppm', [0, 1_000_000]),
  continuous(13, 'no2', 'ppm', [0, 1_000_000]),
  continuous(14, 'h2s', 'ppm', [0, 80_000], { resolution: 0.01 }),
  continuous(15, 'ambient_light', 'lx', [0, 100_000], { resolution: 0.1 }),
  continuous(16, 'pm_1_0', 'µg/m³', [0, 1_000]),
  continuous(17, 'pm_2_5', 'µg/m³', [0, 1_000]),
  continuous(18, 'pm_10_0', 'µg/m³', [0, 1_000]),
  continuous(19, 'noise_level', 'dB', [0, 200], { resolution: 0.1 }),
  continuous(20, 'nh3', 'ppm', [0, 1_000_000]),
  continuous(21, 'ch4', 'ppm', [0, 1_000_000]),
  continuous(22, 'high_pressure', 'kPa', [0, 200_000]),
  continuous(23, 'distance', 'mm', [0, 100_000]),
  continuous(24, 'water_meter_minor', 'l', [0, 99], { divisor: 6 }),
  continuous(25, 'water_meter_major', 'hl', [0, 999_999], { divisor: 4 }),
  continuous(26, 'co2', 'ppm', [0, 1_000_000], { divisor: 3 }),
  continuous(27, 'humidity_accurate', '%', [0, 100], { resolution: 0.1 }),
  continuous(28, 'static_iaq', 'sIAQ', [0, 10_000], { divisor: 3 }),
  continuous(29, 'co2_equivalent', 'ppm', [0, 1_000_000], { divisor: 3 }),
  continuous(30, 'breath_voc', 'ppm', [0, 100_000], { divisor: 3 }),
  continuous(32, 'percentage', '%', [0, 100], { resolution: 0.01 }),
  continuous(33, 'voltage', 'mV', [0, 100_000], { resolution: 0.1 }),
  continuous(34, 'current', 'mA', [0, 10_000], { resolution: 0.01 }),
  continuous(35, 'pulse_count_minor', 'pulses', [0, 999], { divisor: 6 }),
  continuous(36, 'pulse_count_major', 'pulses', [0, 999_999_000], { resolution: 1_000, divisor: 4 }),
  continuous(37, 'electricity_meter_minor', 'Wh', [0, 999], { divisor: 6 }),
  continuous(38, 'electricity_meter_major', 'Wh', [0, 999_999_000], { resolution: 1_000, divisor: 4 }),
  continuous(39, 'pulse_count_wide_minor', 'pulses', [0, 999_999], { divisor: 6 }),
  continuous(40, 'pulse_count_wide_major', 'pulses', [0, 999_999_000_000], {
    resolution: 1_000_000,
    divisor: 4,
  }),
  continuous(41, 'current_precise', 'mA', [-4_000, 4_000], { resolution: 0.001 }),
  binary(42, 'output_control'),
  continuous(43, 'resistance', 'Ω', [0, 1_000_000]),
];

const byNumber = new Map(MEASUREMENT_TYPES.map((type) => [type.number, type]));
const byName = new Map(MEASUREMENT_TYPES.map((type) => [type.name, type]));

/** Undefined for numbers that measure nothing, and for types of firmware newer than this list. */
export const measurementTypeOf = (number: number): MeasurementType | undefined => byNumber.get(number);

/** Name and unit, also of a type that the list lacks. */
export function typeView(number: number): { type: string; unit: string } {
  const { name = `type_${number}`, unit = '' } = measurementTypeOf(number) ?? {};
  return { type: name, unit };
}

export const measurementTypeNamed = (name: string): MeasurementType | undefined => byName.get(name);

/** Whether a sensor can measure this value, given in the unit of the type; a state is 0 or 1. */
export const isInRange = ({ range }: MeasurementType, value: number): boolean =>
  range === null ? value === 0 || value === 1 : value >= range[0] && value <= range[1];

/** The integer as a value in the type's unit, as exact as a number can be: 223 is 22.3 °C. */
export function measuredValue({ divisor, resolution }: MeasurementType, raw: number): number {
  const steps = divisor === null ? raw : Math.trunc(raw / divisor);
  // Dividing by a whole number rounds once, while multiplying by 0.1 would round twice. Turns -0 into 0.
  return (resolution < 1 ? steps / Math.round(1 / resolution) : steps * resolution) || 0;
}
