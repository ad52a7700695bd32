/** Decoding and encoding of configuration reports and answers: real messages byte for byte, and round trips. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeConfigAnswer, emptyReport, encodeConfigReport } from '../../dev/simulator/logger-messages.ts';
import {
  type AlarmRule,
  contradictions,
  DISABLED_CALENDAR,
  DISABLED_RULE,
  type LogicRule,
} from '../../src/devices/configuration.ts';
import { configurationSchema } from '../../src/devices/devices.schemas.ts';
import {
  type ConfigAnswer,
  decodeConfigReport,
  encodeConfigAnswer,
} from '../../src/gateway/config-message.ts';
import { ConfigReportSchema } from '../../src/gateway/generated/logger-messages_pb.ts';
import { MalformedMessage } from '../../src/gateway/wire-format.ts';
import { fieldsOf } from '../support/protobuf.ts';
import { configReport, configuration, naturalCalendar, naturalRule } from './arbitraries.ts';
import vectors from './efento-vectors.json' with { type: 'json' };

const bytesOf = (hex: string) => Buffer.from(hex, 'hex');
/** Numbers of the fields that the service reads. */
const READ = new Set(ConfigReportSchema.fields.map(({ number }) => number));
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const [fullReport, confirmation] = vectors.configurationReports.map(({ hex }) => bytesOf(hex)) as [
  Buffer,
  Buffer,
];

const threshold = (condition: 'HIGH_THRESHOLD' | 'LOW_THRESHOLD', celsius: number, slot = 0): AlarmRule => ({
  condition,
  slotNumbers: [slot],
  alarmRuleType: 'TEMPERATURE',
  threshold: celsius,
  hysteresis: 0.5,
  mode: 'CONSECUTIVE_SAMPLES',
  samples: 1,
  action: 'TRIGGER_TRANSMISSION',
});
const either: LogicRule = {
  condition: 'LOGIC_OPERATOR',
  operator: 'OR',
  rules: [0, 1],
  negatedRules: [],
  delaySeconds: 0,
  returnDelaySeconds: null,
  action: 'TRIGGER_TRANSMISSION',
};

/** One rule as a device reports it: mask, condition, parameters, action. */
function reported(hex: string): AlarmRule {
  const rule = `e201${(hex.length / 2).toString(16).padStart(2, '0')}${hex}`;
  const report = decodeConfigReport(bytesOf(`ca0106282c02424eed${rule}`));
  return report.config.alarmRules?.[0] as AlarmRule;
}

describe('A configuration report', () => {
  it('decodes a real message', () => {
    assert.deepEqual(decodeConfigReport(fullReport), {
      serialNumber: '282C0240FD34',
      config: {
        measurementPeriodBase: 30,
        measurementPeriodFactor: 1,
        transmissionInterval: 120,
        alarmRules: Array(12).fill(DISABLED_RULE),
        calendars: Array(6).fill(DISABLED_CALENDAR),
      },
      configurationHash: 204,
      configurationErrors: [20_738],
      configurationErrorsAt: new Date(1_685_550_965_000),
      cloudToken: '00000000-0000-0000-0000-000000000000',
      cloudTokenConfig: 255,
      channelTypes: [1, 2, 0, 0, 0, 0],
      payloadSplitInfo: 1,
    });
  });

  it('decodes a real message with intervals only', () => {
    const { config, configurationHash, payloadSplitInfo } = decodeConfigReport(confirmation);
    assert.deepEqual(config, {
      measurementPeriodBase: 300,
      measurementPeriodFactor: 1,
      transmissionInterval: 21_600,
    });
    assert.deepEqual([configurationHash, payloadSplitInfo], [10, 1]);
  });

  for (const { name, hex } of vectors.configurationReports) {
    it(`encodes to the bytes of the device, without the settings that nothing reads: ${name}`, () => {
      const read = fieldsOf(bytesOf(hex)).filter(({ field }) => READ.has(field));
      const report = decodeConfigReport(bytesOf(hex));
      assert.equal(hexOf(encodeConfigReport(report)), hexOf(Buffer.concat(read.map(({ raw }) => raw))));
    });
  }

  for (const { value, hex } of vectors.splitInfo) {
    it(`encodes split info ${value} as ${hex}`, () => {
      const serial = 'ca0106282c02424eed';
      assert.equal(decodeConfigReport(bytesOf(serial + hex)).payloadSplitInfo, value);
      const report = { ...emptyReport(), serialNumber: '282C02424EED', payloadSplitInfo: value };
      assert.equal(hexOf(encodeConfigReport(report)), serial + hex);
    });
  }

  it('decodes to the encoded value, including rules and calendars without a natural form', () =>
    fc.assert(
      fc.property(configReport, (report) => {
        assert.deepEqual(decodeConfigReport(encodeConfigReport(report)), report);
      }),
    ));

  it('decodes to a configuration that the schema of the API accepts, whatever the device reports', () =>
    fc.assert(
      fc.property(configReport, (report) => {
        const { config } = decodeConfigReport(encodeConfigReport(report));
        assert.equal(configurationSchema.validate(config, { convert: false }).error, undefined);
      }),
    ));

  for (const [what, hex] of [
    ['no serial number', '101e'],
    ['a transmission interval below 60 s', 'ca0106282c02424eed183b'],
    ['a transmission interval above a week', 'ca0106282c02424eed1881f524'],
    ['a measurement period above 65535 s', 'ca0106282c02424eed10808004'],
    ['a seventeenth rule', `ca0106282c02424eed${'e201021001'.repeat(17)}`],
    ['a seventh calendar', `ca0106282c02424eed${'fa02021801'.repeat(7)}`],
    ['21 errors', `ca0106282c02424eeda20115${'01'.repeat(21)}`],
    ['seven channel types', 'ca0106282c02424eedda010701010101010101'],
    ['a channel type above 32767', 'ca0106282c02424eedda01039f8d06'],
    ['a negative channel type', 'ca0106282c02424eedda01058080808008'],
    ['over 16 parts', 'ca0106282c02424eede00222'],
    ['17 parameters in a rule', `ca0106282c02424eede201151006${'1a11'}${'02'.repeat(17)}`],
  ] as const) {
    it(`refuses a report with ${what}`, () =>
      assert.throws(() => decodeConfigReport(bytesOf(hex)), MalformedMessage));
  }
});

describe('A rule without a natural form', () => {
  for (const [what, hex] of [
    ['a difference', '080110041a060a02020220 01'.replaceAll(' ', '')],
    ['a change of a binary channel', '080110052001'],
    ['every n-th measurement', '080110071a0302020020 01'.replaceAll(' ', '')],
    ['a sensor error', '080110082001'],
    ['a condition of newer firmware', '080110632001'],
    ['no condition at all', '08012001'],
    ['a threshold of a moving average', '080110021a06a0010a0202022001'],
    ['a threshold of humidity', '080110021a06a0010a0602042001'],
    ['a threshold beyond the range', '080110021a0782e2090a0602022001'],
    ['an action of newer firmware', '080110021a06a0010a0602022009'],
    ['a channel that no logger has', '084010021a06a0010a0602022001'],
    ['a logic operator of newer firmware', '080110061a0506060000002001'],
  ] as const) {
    it(`keeps its raw numbers, contradicts every rule of the service, and is encoded to the same bytes: ${what}`, () => {
      const rule = reported(hex);
      assert.equal(rule.condition, 'OTHER');
      assert.equal(configurationSchema.validate({ alarmRules: [rule] }).error, undefined);
      fc.assert(
        fc.property(naturalRule, (sent) => {
          assert.deepEqual(contradictions({ alarmRules: [sent] }, { alarmRules: [rule] }), ['alarmRules']);
        }),
        { numRuns: 20 },
      );
      const length = (hex.length / 2).toString(16).padStart(2, '0');
      const again = hexOf(encodeConfigAnswer({ config: { alarmRules: [rule] } }));
      assert.equal(again, `e201${length}${hex}`);
    });
  }

  it('differs from one with its parameters in another order', () => {
    const other = (parameters: number[]): AlarmRule => ({
      condition: 'OTHER',
      slotNumbers: [0],
      conditionCode: 7,
      parameters,
      actionCode: 1,
    });
    const differ = contradictions({ alarmRules: [other([1, 2])] }, { alarmRules: [other([2, 1])] });
    assert.deepEqual(differ, ['alarmRules']);
  });
});

describe('An answer to measurements', () => {
  const intervals = { measurementPeriodBase: 300, measurementPeriodFactor: 1, transmissionInterval: 21_600 };
  const answers: ConfigAnswer[] = [
    { configurationRequest: true },
    { config: intervals },
    { config: intervals, configurationRequest: true, currentTime: new Date(1_767_225_600_000) },
    {
      config: {
        alarmRules: [
          threshold('HIGH_THRESHOLD', 8),
          threshold('LOW_THRESHOLD', 2),
          ...Array<AlarmRule>(10).fill(DISABLED_RULE),
        ],
      },
    },
  ];
  vectors.serverAnswers.forEach(({ name, hex }, index) => {
    it(`encodes to the bytes of the official schema, and decodes again: ${name}`, () => {
      const answer = answers[index] as ConfigAnswer;
      assert.equal(hexOf(encodeConfigAnswer(answer)), hex);
      assert.deepEqual(decodeConfigAnswer(bytesOf(hex)), answer);
    });
  });

  it('encodes to no bytes when no key is set', () => assert.equal(encodeConfigAnswer({}).length, 0));

  it('decodes to the encoded configuration', () =>
    fc.assert(
      fc.property(configuration, (config) => {
        const expected = Object.keys(config).length > 0 ? { config } : {};
        assert.deepEqual(decodeConfigAnswer(encodeConfigAnswer({ config })), expected);
      }),
    ));

  it('fits into a datagram when all rules and calendars are in use', () => {
    const rules = fc.array(naturalRule, { minLength: 16, maxLength: 16 });
    const calendars = fc.array(naturalCalendar, { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(rules, calendars, (alarmRules, all) => {
        const config = { ...intervals, alarmRules, calendars: all };
        assert.ok(
          encodeConfigAnswer({ config, currentTime: new Date(), configurationRequest: true }).length < 1024,
        );
      }),
    );
  });

  it('gives a logic rule the channels of the rules that it combines, also through other logic rules', () => {
    const nested: LogicRule = { ...either, rules: [2] };
    const alarmRules = [threshold('HIGH_THRESHOLD', 8, 0), threshold('LOW_THRESHOLD', 2, 3), either, nested];
    const hex = hexOf(encodeConfigAnswer({ config: { alarmRules } }));
    // Mask 9 means channels 1 and 4. In zigzag OR is 04, the rules 06 and 08, no action on return 82bc69.
    assert.match(hex, /e2010f080910061a070406000082bc692001/);
    assert.match(hex, /e2010f080910061a070408000082bc692001$/);
  });

  it('encodes logic rules that refer to each other', () => {
    const alarmRules: AlarmRule[] = [
      { ...either, rules: [0, 1] },
      { ...either, rules: [0, 1, 15] },
    ];
    assert.deepEqual(decodeConfigAnswer(encodeConfigAnswer({ config: { alarmRules } })), {
      config: { alarmRules },
    });
  });

  it('encodes days as bits from Sunday on, and the time zone in quarter hours from UTC', () => {
    const calendar = {
      type: 'WEEK' as const,
      enableRules: [0, 2],
      days: [1, 5],
      fromTime: 480,
      toTime: 1080,
      timezone: 60,
    };
    const hex = hexOf(encodeConfigAnswer({ config: { calendars: [calendar] } }));
    // Mask 5; days 34, from 480, to 1080, 4 steps, all in zigzag; type WEEK.
    assert.equal(hex, 'fa020c 0805 1206 44c007f010 08 1802'.replaceAll(' ', ''));
  });
});
