/** The simulated logger follows the protocol's rules for a device. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { inFactors } from '../../../dev/simulator/device-messages.ts';
import { encodeConfigReportParts, encodeMeasurements } from '../../../dev/simulator/logger-messages.ts';
import { FRAME_SAMPLES_MAX } from '../../../dev/simulator/sample-memory.ts';
import { type DeviceConfiguration, DISABLED_RULE, includes } from '../../../src/devices/configuration.ts';
import { decodeConfigReport } from '../../../src/gateway/config-message.ts';
import { decodeMeasurements, decodeReadings } from '../../../src/gateway/measurements-message.ts';
import { compileProfile } from '../../../src/profiles/compile-profile.ts';
import { FACTORY, framesIn, newModel, reportsIn, START_MS } from './device-model.ts';

const fridge: DeviceConfiguration = compileProfile(
  {
    alerts: [
      {
        type: 'range',
        channel: 'probe',
        lowC: 2,
        highC: 8,
        hysteresisC: 0.5,
        transmitOnBreach: true,
        transmitOnReturn: true,
      },
    ],
    schedule: { always: true },
    intervals: null,
  },
  { channelTypes: [1, 2, 0, 0, 0, 0], model: null, ruleSlots: 12 },
  new Date(START_MS),
);

/** Booted, with its first frame acknowledged. */
function settled(...how: Parameters<typeof newModel>) {
  const model = newModel(...how);
  model.dispatch({ kind: 'boot' });
  model.answered('info');
  model.measure(5);
  model.answered('measurements');
  return model;
}

describe('A simulated logger', () => {
  it('sends info and report at boot, and its first sample in a confirmable frame', () => {
    const model = newModel();
    const boot = model.dispatch({ kind: 'boot' });
    assert.deepEqual(
      boot.map(({ kind, confirmable }) => ({ kind, confirmable })),
      [
        { kind: 'info', confirmable: true },
        { kind: 'report', confirmable: false },
      ],
    );
    const [first] = framesIn(model.measure(5));
    assert.equal(first?.confirmable, true);
    assert.equal((first?.message.transferReason ?? 0) & 1, 1, 'first after a reset');
  });

  for (const lateMs of [0, 15, 700]) {
    it(`transmits every transmission interval, confirmably every ack interval, waking ${lateMs} ms late`, () => {
      const model = settled();
      const sent: Array<{ minute: number; confirmable: boolean; samples: number }> = [];
      for (let minute = 1; minute <= 30; minute++) {
        for (const frame of framesIn(model.measure(5, (lateMs * minute) % 997))) {
          const samples = frame.message.channels[0]?.sampleOffsets.length ?? 0;
          sent.push({ minute, confirmable: frame.confirmable, samples });
          model.nowMs += 30;
          if (frame.confirmable) model.answered('measurements');
        }
      }
      assert.deepEqual(sent, [
        { minute: 5, confirmable: false, samples: 5 },
        { minute: 10, confirmable: false, samples: 5 },
        { minute: 15, confirmable: true, samples: 15 },
        { minute: 20, confirmable: false, samples: 5 },
        { minute: 25, confirmable: false, samples: 5 },
        { minute: 30, confirmable: true, samples: 15 },
      ]);
    });
  }

  it('transmits at once when a breach begins and when it ends', () => {
    const model = settled();
    model.measure(5);
    model.state = { ...model.state, config: { ...model.state.config, ...fridge } };
    const courses = [5, 8.1, 8.2, 7.8, 7.5, 7.4, 5, 1.9, 2.2, 2.6];
    const triggered = courses.filter((celsius) => framesIn(model.measure(celsius)).length > 0);
    assert.deepEqual(
      triggered.filter((celsius) => celsius !== 5),
      [8.1, 7.5, 1.9, 2.6],
    );
  });

  it('sends a confirmable frame when a rule asks for one, and none outside the calendar of the rule', () => {
    const asking = fridge.alarmRules?.map((rule) =>
      rule.condition === 'LOGIC_OPERATOR'
        ? { ...rule, action: 'TRIGGER_TRANSMISSION_WITH_ACK' as const }
        : rule,
    );
    const model = settled();
    model.state = { ...model.state, config: { ...model.state.config, alarmRules: asking ?? [] } };
    assert.equal(framesIn(model.measure(9))[0]?.confirmable, true);
    const shut = settled();
    // Only Sundays; the model's time is a Monday.
    const calendar = {
      type: 'WEEK' as const,
      enableRules: [0, 1, 2],
      days: [0],
      fromTime: 0,
      toTime: 1439,
      timezone: 0,
    };
    shut.state = { ...shut.state, config: { ...shut.state.config, ...fridge, calendars: [calendar] } };
    assert.deepEqual(framesIn(shut.measure(9)), []);
  });

  it('applies the change of an answer once, and reports it', () => {
    const model = settled();
    const hash = model.state.hash;
    const [report] = reportsIn(model.answered('info', { config: { transmissionInterval: 600 } }));
    assert.equal(report?.confirmable, false);
    assert.equal(report?.report.config.transmissionInterval, 600);
    assert.equal(report?.report.configurationHash, hash + 1);
    const [again] = reportsIn(model.answered('info', { config: { transmissionInterval: 600 } }));
    assert.equal(again?.report.configurationHash, hash + 1, 'the same once more changes nothing');
    assert.equal(model.state.counts.applied, 1);
  });

  it('changes nothing and reports a new error when it refuses a change', () => {
    const model = settled({ refuses: true });
    const before = model.state.config;
    model.nowMs += 5_000;
    const [report] = reportsIn(model.answered('info', { config: fridge }));
    assert.equal(report?.confirmable, true);
    assert.equal(report?.report.configurationErrors.length, 1);
    assert.equal(report?.report.configurationErrorsAt?.getTime(), model.nowMs);
    assert.equal(model.state.config, before);
    assert.equal(model.state.counts.refused, 1);
  });

  it('sends its configuration on request', () => {
    const effects = settled().answered('measurements', { configurationRequest: true });
    assert.deepEqual(
      effects.map(({ kind, confirmable }) => [kind, confirmable]),
      [['report', false]],
    );
  });

  it('keeps the position of the sample when a sensor failed', () => {
    const model = settled();
    const temperatures = [4.1, null, 4.3, null, 4.5];
    const frames = temperatures.flatMap((celsius) => framesIn(model.measure(celsius)));
    const [frame] = frames;
    assert.ok(frame);
    const readings = decodeReadings(decodeMeasurements(encodeMeasurements(frame.message)));
    assert.deepEqual(
      readings.filter(({ channel }) => channel === 1).map(({ value }) => value),
      temperatures,
    );
  });

  it('divides every interval by its speed and sends real times', () => {
    const model = settled({ speed: 60 });
    const times = new Set<number>();
    for (let index = 0; index < 10; index++) {
      for (const { message } of framesIn(model.measure(5))) {
        assert.equal(message.measurementPeriodBase * message.measurementPeriodFactor, 1);
        for (const { measuredAt } of decodeReadings(message)) {
          assert.ok(measuredAt.getTime() <= model.nowMs);
          times.add(measuredAt.getTime());
        }
      }
    }
    assert.equal(times.size, 10);
  });

  it('expresses any interval as base × factor', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 864_000 }), (seconds) => {
        const { base, factor } = inFactors(seconds);
        assert.ok(base <= 65_535 && factor <= 65_535);
        // A large prime cannot be split into factors: the result is then the nearest value that the protocol
        // can express.
        assert.ok(base * factor === seconds || seconds > 65_535);
      }),
    ));
});

/** Changes that any answer may contain. */
const changes = fc.oneof(
  fc.constant({}),
  fc.record({ transmissionInterval: fc.constantFrom(300, 600, 1_200) }),
  fc.record({
    measurementPeriodBase: fc.constantFrom(60, 120),
    measurementPeriodFactor: fc.constantFrom(1, 2),
  }),
  fc.constantFrom<DeviceConfiguration>(fridge, { alarmRules: Array(12).fill(DISABLED_RULE) }),
);

describe('A simulated logger under any faults', () => {
  it('delivers every sample in the end, whatever is lost in either direction', () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('through', 'lost on the way', 'answer lost'), { maxLength: 80 }),
        fc.array(changes, { maxLength: 10 }),
        fc.nat(500),
        (links, configs, gap) => {
          const model = newModel();
          const arrived = new Set<number>();
          const taken = new Set<number>();
          const link = links.values();
          const config = configs.values();
          function carry(effects: ReturnType<typeof model.dispatch>): void {
            for (const frame of framesIn(effects)) {
              const how = link.next().value ?? 'through';
              if (how !== 'lost on the way') {
                const message = decodeMeasurements(encodeMeasurements(frame.message));
                for (const { channel, measuredAt } of decodeReadings(message)) {
                  if (channel === 1) arrived.add(measuredAt.getTime());
                }
                assert.ok((message.channels[0]?.sampleOffsets.length ?? 0) <= FRAME_SAMPLES_MAX);
              }
              if (!frame.confirmable) continue;
              if (how === 'through')
                carry(model.answered('measurements', { config: config.next().value ?? {} }));
              else carry(model.dispatch({ kind: 'unanswered', exchange: 'measurements' }));
            }
          }
          carry(model.dispatch({ kind: 'boot' }));
          for (let index = 0; index < 60; index++) {
            // Wakes too late once, like a process that was suspended.
            if (index === 30) model.nowMs += gap * 1000;
            const effects = model.measure(5 + (index % 7));
            taken.add((model.state.lastSampleAt as number) * 1000);
            carry(effects);
          }
          // From here on the link works.
          for (const _ of links) link.next();
          for (let index = 0; index < 200 && model.state.memory.samples.length > 0; index++) {
            carry(model.measure(5));
            taken.add((model.state.lastSampleAt as number) * 1000);
          }
          assert.deepEqual(model.state.memory.samples, []);
          assert.deepEqual([...arrived].sort(), [...taken].sort());
        },
      ),
      { numRuns: 60 },
    ));

  it('increments its hash by one with each change, and reports its configuration', () =>
    fc.assert(
      fc.property(
        fc.array(changes, { maxLength: 20 }),
        fc.constantFrom(1 as const, 2 as const),
        (configs, parts) => {
          const model = settled({ reportParts: parts });
          for (const config of configs) {
            const before = model.state;
            const effects = model.answered('info', { config });
            const isNew = !includes(before.config, config);
            assert.equal(model.state.hash - before.hash, isNew ? 1 : 0);
            assert.ok(includes(model.state.config, config));
            const [report] = reportsIn(effects);
            assert.ok(report, 'it says so');
            assert.equal(report.parts, parts);
            const sent = encodeConfigReportParts(report.report, parts).map(decodeConfigReport);
            assert.deepEqual(Object.assign({}, ...sent.map((part) => part.config)), model.state.config);
          }
        },
      ),
      { numRuns: 60 },
    ));

  it('keeps one confirmable frame under way at a time, and repeats unacknowledged samples', () =>
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), (acknowledged) => {
        const model = newModel({}, { ...FACTORY, ackIntervalSeconds: null });
        let oldest: number | null = null;
        for (const isAcknowledged of acknowledged) {
          const frames = framesIn(model.measure(5));
          assert.ok(frames.length <= 1);
          const [frame] = frames;
          if (!frame) continue;
          const first = frame.message.channels[0]?.timestamp as number;
          if (oldest !== null) assert.equal(first, oldest, 'the same samples once more');
          oldest = isAcknowledged ? null : first;
          if (isAcknowledged) model.answered('measurements');
          else model.dispatch({ kind: 'unanswered', exchange: 'measurements' });
        }
      }),
    ));
});
