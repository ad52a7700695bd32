/**
 * What a logger can measure: the numbers of Efento's protocol (proto_measurement_types.proto) with our names.
 *
 * A value comes as an integer. Types with a divisor carry a remainder beside it (calibration state of a gas sensor,
 * which minor counter belongs to a major one): the quotient is the value, the remainder is about the sensor. Types 0
 * (no sensor) and 31 (a gateway's own) measure nothing and are not in the list.
 */
export interface MeasurementType {
  /** The number on the wire. */
  number: number;
  name: string;
  unit: string;
  /** The unit's part that one step of the integer stands for. */
  resolution: number;
  kind: 'continuous' | 'binary';
  /** Null where the integer is the value alone. */
  divisor: number | null;
}

const continuous = (
  number: number,
  name: string,
  unit: string,
  resolution = 1,
  divisor: number | null = null,
): MeasurementType => ({ number, name, unit, resolution, kind: 'continuous', divisor });

const binary = (number: number, name: string): MeasurementType => ({
  number,
  name,
  unit: '',
  resolution: 1,
  kind: 'binary',
  divisor: null,
});

/** By number, ascending. */
export const MEASUREMENT_TYPES: readonly MeasurementType[] = [
  continuous(1, 'temperature', '°C', 0.1),
  continuous(2, 'humidity', '%'),
  continuous(3, 'atmospheric_pressure', 'hPa', 0.1),
  continuous(4, 'differential_pressure', 'Pa'),
  binary(5, 'ok_alarm'),
  continuous(6, 'iaq', 'IAQ', 1, 3),
  binary(7, 'flooding'),
  continuous(8, 'pulse_count', 'pulses'),
  continuous(9, 'electricity_meter', 'Wh'),
  continuous(10, 'water_meter', 'l'),
  continuous(11, 'soil_moisture', 'kPa'),
  continuous(12, 'co', 'ppm'),
  continuous(13, 'no2', 'ppm'),
  continuous(14, 'h2s', 'ppm', 0.01),
  continuous(15, 'ambient_light', 'lx', 0.1),
  continuous(16, 'pm_1_0', 'µg/m³'),
  continuous(17, 'pm_2_5', 'µg/m³'),
  continuous(18, 'pm_10_0', 'µg/m³'),
  continuous(19, 'noise_level', 'dB', 0.1),
  continuous(20, 'nh3', 'ppm'),
  continuous(21, 'ch4', 'ppm'),
  continuous(22, 'high_pressure', 'kPa'),
  continuous(23, 'distance', 'mm'),
  continuous(24, 'water_meter_minor', 'l', 1, 6),
  continuous(25, 'water_meter_major', 'hl', 1, 4),
  continuous(26, 'co2', 'ppm', 1, 3),
  continuous(27, 'humidity_accurate', '%', 0.1),
  continuous(28, 'static_iaq', 'sIAQ', 1, 3),
  continuous(29, 'co2_equivalent', 'ppm', 1, 3),
  continuous(30, 'breath_voc', 'ppm', 1, 3),
  continuous(32, 'percentage', '%', 0.01),
  continuous(33, 'voltage', 'mV', 0.1),
  continuous(34, 'current', 'mA', 0.01),
  continuous(35, 'pulse_count_minor', 'pulses', 1, 6),
  continuous(36, 'pulse_count_major', 'pulses', 1000, 4),
  continuous(37, 'electricity_meter_minor', 'Wh', 1, 6),
  continuous(38, 'electricity_meter_major', 'Wh', 1000, 4),
  continuous(39, 'pulse_count_wide_minor', 'pulses', 1, 6),
  continuous(40, 'pulse_count_wide_major', 'pulses', 1_000_000, 4),
  continuous(41, 'current_precise', 'mA', 0.001),
  binary(42, 'output_control'),
  continuous(43, 'resistance', 'Ω'),
];

const byNumber = new Map(MEASUREMENT_TYPES.map((type) => [type.number, type]));
const byName = new Map(MEASUREMENT_TYPES.map((type) => [type.name, type]));

/** Undefined for numbers that measure nothing and for those of firmware newer than this list. */
export const measurementTypeOf = (number: number): MeasurementType | undefined => byNumber.get(number);

export const measurementTypeNamed = (name: string): MeasurementType | undefined => byName.get(name);

/** The integer as a value in the type's unit, as exact as a number can hold it: 223 is 22.3 °C. */
export function measuredValue({ divisor, resolution }: MeasurementType, raw: number): number {
  const steps = divisor === null ? raw : Math.trunc(raw / divisor);
  // Dividing by a whole number rounds once; multiplying by 0.1 would round twice. And there is no -0 among values.
  return (resolution < 1 ? steps / Math.round(1 / resolution) : steps * resolution) || 0;
}
