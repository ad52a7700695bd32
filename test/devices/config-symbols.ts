/**
 * Configurations for the reference model: the model sees a symbol per key, and the code under test one of
 * several equivalent values. So the model need not know how lists compare.
 */
import assert from 'node:assert/strict';
import {
  type Calendar,
  CONFIGURATION_KEYS,
  type ConfigurationKey,
  type DeviceConfiguration,
  DISABLED_CALENDAR,
  DISABLED_RULE,
} from '../../src/devices/configuration.ts';
import { guard } from './fixtures.ts';

export const SYMBOLS = ['a', 'b', 'c'] as const;
export type ConfigSymbol = (typeof SYMBOLS)[number];
export type SymbolicConfig = Partial<Record<ConfigurationKey, ConfigSymbol>>;

const calendar: Calendar = {
  type: 'WEEK',
  enableRules: [0, 1],
  days: [1, 2, 3],
  fromTime: 480,
  toTime: 1_080,
  timezone: 60,
};
const reversed = <T extends object>(entry: T): T => Object.fromEntries(Object.entries(entry).reverse()) as T;

const VALUES: { [Key in ConfigurationKey]: Record<ConfigSymbol, Array<DeviceConfiguration[Key]>> } = {
  measurementPeriodBase: { a: [60], b: [300], c: [65_535] },
  measurementPeriodFactor: { a: [1], b: [2], c: [14] },
  transmissionInterval: { a: [60], b: [3_600], c: [604_800] },
  alarmRules: {
    a: [[], [DISABLED_RULE], Array(12).fill(DISABLED_RULE)],
    b: [[guard], [reversed(guard), DISABLED_RULE], [{ ...guard, slotNumbers: [2, 0] }]],
    c: [
      [DISABLED_RULE, guard],
      [DISABLED_RULE, reversed(guard), DISABLED_RULE],
    ],
  },
  calendars: {
    a: [[DISABLED_CALENDAR], []],
    b: [[calendar], [{ ...reversed(calendar), days: [3, 1, 2] }, DISABLED_CALENDAR]],
    c: [[{ ...calendar, timezone: 120 }], [{ ...calendar, timezone: 120, enableRules: [1, 0] }]],
  },
};

const SYMBOL_OF = new Map(
  CONFIGURATION_KEYS.flatMap((key) =>
    SYMBOLS.flatMap((symbol) =>
      VALUES[key][symbol].map((value): [string, ConfigSymbol] => [`${key} ${JSON.stringify(value)}`, symbol]),
    ),
  ),
);

/** The variant chooses among equivalent values. */
export const toConfiguration = (symbols: SymbolicConfig, variant: number): DeviceConfiguration =>
  Object.fromEntries(
    CONFIGURATION_KEYS.flatMap((key) => {
      const symbol = symbols[key];
      if (symbol === undefined) return [];
      const values = VALUES[key][symbol];
      return [[key, values[variant % values.length]]];
    }),
  );

export const toSymbols = (config: DeviceConfiguration | null | undefined): SymbolicConfig | null =>
  config == null
    ? null
    : Object.fromEntries(
        Object.entries(config).map(([key, value]) => {
          const symbol = SYMBOL_OF.get(`${key} ${JSON.stringify(value)}`);
          assert.ok(symbol, `${key} has a value that nobody sent: ${JSON.stringify(value)}`);
          return [key, symbol];
        }),
      );
