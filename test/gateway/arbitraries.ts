/** fast-check arbitraries for messages of devices and the service. */
import fc from 'fast-check';
import { emptyReport } from '../../dev/simulator/logger-messages.ts';
import {
  type AlarmRule,
  type Calendar,
  type DeviceConfiguration,
  DISABLED_CALENDAR,
  DISABLED_RULE,
  RULE_ACTIONS,
} from '../../src/devices/configuration.ts';
import type { ConfigReport } from '../../src/gateway/config-message.ts';
import type { MeasurementsMessage } from '../../src/gateway/measurements-message.ts';

/** Objects with a prototype, as decoders create them. */
const record = ((model: object, constraints: object = {}) =>
  fc.record(model as never, { ...constraints, noNullPrototype: true } as never)) as typeof fc.record;

export const serialNumber = fc
  .uint8Array({ minLength: 6, maxLength: 6 })
  .map((bytes) => Buffer.from(bytes).toString('hex').toUpperCase());
const int32 = fc.integer({ min: -0x80000000, max: 0x7fffffff });
const uint32 = fc.integer({ min: 1, max: 0xffffffff });
const time = uint32.map((seconds) => new Date(seconds * 1000));
const token = fc.option(fc.stringMatching(/^[\x20-\x7e]{0,36}$/));

const positions = (count: number) =>
  fc.uniqueArray(fc.nat(count - 1), { maxLength: count }).map((list) => list.sort((a, b) => a - b));
const tenths = (min: number, max: number) => fc.integer({ min, max }).map((value) => value / 10);
const action = fc.constantFrom(...RULE_ACTIONS);

export const naturalRule: fc.Arbitrary<AlarmRule> = fc.oneof(
  record({
    condition: fc.constantFrom('HIGH_THRESHOLD' as const, 'LOW_THRESHOLD' as const),
    slotNumbers: positions(6),
    alarmRuleType: fc.constant('TEMPERATURE' as const),
    threshold: tenths(-2732, 40_000),
    hysteresis: tenths(0, 42_732),
    mode: fc.constant('CONSECUTIVE_SAMPLES' as const),
    samples: fc.integer({ min: 1, max: 10 }),
    action,
  }),
  record({
    condition: fc.constant('LOGIC_OPERATOR' as const),
    operator: fc.constantFrom('AND' as const, 'OR' as const),
    rules: positions(16),
    negatedRules: positions(16),
    delaySeconds: fc.nat(864_000),
    returnDelaySeconds: fc.option(fc.nat(864_000)),
    action,
  }),
  fc.constant(DISABLED_RULE),
);

export const naturalCalendar: fc.Arbitrary<Calendar> = fc.oneof(
  record({
    type: fc.constant('WEEK' as const),
    enableRules: positions(16),
    days: positions(7),
    fromTime: fc.nat(1439),
    toTime: fc.oneof(fc.nat(1439), fc.constant(1440)),
    timezone: fc.integer({ min: -72, max: 72 }).map((steps) => steps * 15),
  }),
  fc.constant(DISABLED_CALENDAR),
);

/** Rules and calendars whose condition or type never has a natural form. */
const foreignRule = record({
  condition: fc.constant('OTHER' as const),
  slotNumbers: positions(32),
  conditionCode: fc
    .oneof(fc.constantFrom(0, 4, 5, 7, 8), int32)
    .filter((code) => ![1, 2, 3, 6].includes(code)),
  parameters: fc.array(int32, { maxLength: 16 }),
  actionCode: int32,
});
const foreignCalendar = record({
  type: fc.constant('OTHER' as const),
  enableRules: positions(32),
  typeCode: int32.filter((code) => code !== 1 && code !== 2),
  parameters: fc.array(int32, { maxLength: 16 }),
});

export const configuration: fc.Arbitrary<DeviceConfiguration> = record(
  {
    measurementPeriodBase: fc.integer({ min: 1, max: 65_535 }),
    measurementPeriodFactor: fc.integer({ min: 1, max: 65_535 }),
    transmissionInterval: fc.integer({ min: 60, max: 604_800 }),
    alarmRules: fc.array(fc.oneof({ weight: 3, arbitrary: naturalRule }, foreignRule), {
      minLength: 1,
      maxLength: 16,
    }),
    calendars: fc.array(fc.oneof({ weight: 3, arbitrary: naturalCalendar }, foreignCalendar), {
      minLength: 1,
      maxLength: 6,
    }),
  },
  { requiredKeys: [] },
);

export const configReport: fc.Arbitrary<ConfigReport> = record({
  serialNumber,
  config: configuration,
  configurationHash: fc.option(uint32),
  configurationErrors: fc.array(fc.nat(), { maxLength: 20 }),
  configurationErrorsAt: fc.option(time),
  cloudToken: token,
  cloudTokenConfig: fc.option(fc.constantFrom(1, 2, 255)),
  channelTypes: fc.array(fc.nat(50), { maxLength: 6 }),
}).map((report) => ({ ...emptyReport(), ...report }));

export const measurements: fc.Arbitrary<MeasurementsMessage> = record({
  serialNumber,
  batteryOk: fc.boolean(),
  measurementPeriodBase: fc.integer({ min: 1, max: 65_535 }),
  measurementPeriodFactor: fc.nat(500),
  nextTransmissionAt: fc.option(time),
  transferReason: fc.nat(),
  signal: fc.option(fc.integer({ min: 1, max: 99 })),
  configurationHash: fc.option(uint32),
  extendedConfigurationHash: fc.option(uint32),
  cloudToken: token,
  batteryLevel: fc.option(uint32),
  channels: fc
    .array(
      record({
        type: fc.nat(50),
        timestamp: fc.integer({ min: 0, max: 2_000_000_000 }),
        startPoint: int32,
        sampleOffsets: fc.array(fc.oneof(fc.integer({ min: -1000, max: 1000 }), int32), { maxLength: 20 }),
      }),
      { maxLength: 6 },
    )
    .map((channels) => channels.map((channel, index) => ({ number: index + 1, ...channel }))),
});
