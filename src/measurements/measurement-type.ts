/** What a channel measures: Efento's MeasurementTypes, by their numbers on the wire and their lower-case names. */
export interface MeasurementType {
  number: number;
  name: string;
  unit: string;
  /** The step of its values, in its unit. */
  resolution: number;
  kind: 'continuous' | 'binary';
  /** The raw number is divided by it; the remainder is about the value, not part of it. */
  divisor?: number;
}

type Row = [number: number, name: string, unit: string, resolution: number, divisor?: number];

const BINARY = [5, 7, 42];

const ROWS: Row[] = [
  [1, 'temperature', '°C', 0.1],
  [2, 'humidity', '%', 1],
  [3, 'atmospheric_pressure', 'hPa', 0.1],
  [4, 'differential_pressure', 'Pa', 1],
  [5, 'ok_alarm', '', 1],
  [6, 'iaq', '', 1, 3],
  [7, 'flooding', '', 1],
  [8, 'pulse_cnt', '', 1],
  [9, 'electricity_meter', 'Wh', 1],
  [10, 'water_meter', 'l', 1],
  [11, 'soil_moisture', 'kPa', 1],
  [12, 'co_gas', 'ppm', 1],
  [13, 'no2_gas', 'ppm', 1],
  [14, 'h2s_gas', 'ppm', 0.01],
  [15, 'ambient_light', 'lx', 0.1],
  [16, 'pm_1_0', 'µg/m³', 1],
  [17, 'pm_2_5', 'µg/m³', 1],
  [18, 'pm_10_0', 'µg/m³', 1],
  [19, 'noise_level', 'dB', 0.1],
  [20, 'nh3_gas', 'ppm', 1],
  [21, 'ch4_gas', '%', 1],
  [22, 'high_pressure', 'kPa', 1],
  [23, 'distance_mm', 'mm', 1],
  [24, 'water_meter_acc_minor', 'l', 1, 6],
  [25, 'water_meter_acc_major', 'hl', 1, 4],
  [26, 'co2_gas', 'ppm', 1, 3],
  [27, 'humidity_accurate', '%', 0.1],
  [28, 'static_iaq', '', 1, 3],
  [29, 'co2_equivalent', 'ppm', 1, 3],
  [30, 'breath_voc', 'ppm', 1, 3],
  [31, 'shared_modem', '', 1],
  [32, 'percentage', '%', 0.01],
  [33, 'voltage', 'mV', 0.1],
  [34, 'current', 'mA', 0.01],
  [35, 'pulse_cnt_acc_minor', '', 1, 6],
  [36, 'pulse_cnt_acc_major', '', 1000, 4],
  [37, 'elec_meter_acc_minor', 'Wh', 1, 6],
  [38, 'elec_meter_acc_major', 'Wh', 1000, 4],
  [39, 'pulse_cnt_acc_wide_minor', '', 1, 6],
  [40, 'pulse_cnt_acc_wide_major', '', 1_000_000, 4],
  [41, 'current_precise', 'mA', 0.001],
  [42, 'output_control', '', 1],
  [43, 'resistance', 'Ω', 1],
];

export const MEASUREMENT_TYPES: readonly MeasurementType[] = ROWS.map(
  ([number, name, unit, resolution, divisor]) => ({
    number,
    name,
    unit,
    resolution,
    kind: BINARY.includes(number) ? 'binary' : 'continuous',
    ...(divisor !== undefined && { divisor }),
  }),
);

const byNumber = new Map(MEASUREMENT_TYPES.map((type) => [type.number, type]));
const byName = new Map(MEASUREMENT_TYPES.map((type) => [type.name, type]));

export const measurementTypeOf = (number: number): MeasurementType | null => byNumber.get(number) ?? null;
export const measurementTypeNamed = (name: string): MeasurementType | null => byName.get(name) ?? null;
