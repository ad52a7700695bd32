/**
 * Configurations for the second telling: values are letters, and the device code gets each letter in one of several
 * spellings that mean the same, so that the telling needs no idea of how lists compare.
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

export const LETTERS = ['a', 'b', 'c'] as const;
export type Letter = (typeof LETTERS)[number];
export type Letters = Partial<Record<ConfigurationKey, Letter>>;

const calendar: Calendar = {
  type: 'WEEK',
  enableRules: [0, 1],
  days: [1, 2, 3],
  fromTime: 480,
  toTime: 1_080,
  timezone: 60,
};
const reversed = <T extends object>(entry: T): T => Object.fromEntries(Object.entries(entry).reverse()) as T;

const SPELLINGS: { [Key in ConfigurationKey]: Record<Letter, Array<DeviceConfiguration[Key]>> } = {
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

const LETTER_OF = new Map(
  CONFIGURATION_KEYS.flatMap((key) =>
    LETTERS.flatMap((letter) =>
      SPELLINGS[key][letter].map((value): [string, Letter] => [`${key} ${JSON.stringify(value)}`, letter]),
    ),
  ),
);

export const spelt = (letters: Letters, spelling: number): DeviceConfiguration =>
  Object.fromEntries(
    CONFIGURATION_KEYS.flatMap((key) => {
      const letter = letters[key];
      if (letter === undefined) return [];
      const ways = SPELLINGS[key][letter];
      return [[key, ways[spelling % ways.length]]];
    }),
  );

export const lettersOf = (config: DeviceConfiguration | null | undefined): Letters | null =>
  config == null
    ? null
    : Object.fromEntries(
        Object.entries(config).map(([key, value]) => {
          const letter = LETTER_OF.get(`${key} ${JSON.stringify(value)}`);
          assert.ok(letter, `${key} has a value that nobody sent: ${JSON.stringify(value)}`);
          return [key, letter];
        }),
      );
