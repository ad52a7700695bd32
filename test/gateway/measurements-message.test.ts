/** Decoding and encoding of measurements: real frames byte for byte, the protocol's rules for samples, round trips. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { encodeMeasurements } from '../../dev/simulator/logger-messages.ts';
import {
  MEASUREMENT_TYPES,
  measuredValue,
  measurementTypeNamed,
} from '../../src/devices/measurement-type.ts';
import type { Reading } from '../../src/devices/reading.ts';
import {
  continuousPeriodSeconds,
  decodeMeasurements,
  decodeReadings,
  type MeasuredChannel,
  type MeasurementsMessage,
} from '../../src/gateway/measurements-message.ts';
import { MalformedMessage } from '../../src/gateway/wire-format.ts';
import { measurements } from './arbitraries.ts';
import vectors from './efento-vectors.json' with { type: 'json' };

const bytesOf = (hex: string) => Buffer.from(hex, 'hex');
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const [temperatureAndHumidity, binaryFrame] = vectors.measurements.map(({ hex }) => bytesOf(hex)) as [
  Buffer,
  Buffer,
];

const START = 1_749_674_040;
const at = (seconds: number) => new Date((START + seconds) * 1000);

function message(channels: Array<Partial<MeasuredChannel>>, more: Partial<MeasurementsMessage> = {}) {
  const base = decodeMeasurements(temperatureAndHumidity);
  const full = channels.map((channel, index) => ({
    number: index + 1,
    type: 0,
    timestamp: START,
    startPoint: 0,
    sampleOffsets: [],
    ...channel,
  }));
  return { ...base, measurementPeriodFactor: 1, ...more, channels: full };
}

describe('Measurements of a logger', () => {
  it('decodes a real frame with temperature and humidity', () => {
    assert.deepEqual(decodeMeasurements(temperatureAndHumidity), {
      serialNumber: '282C02424EED',
      batteryOk: true,
      measurementPeriodBase: 60,
      measurementPeriodFactor: 1,
      nextTransmissionAt: new Date(1_749_674_646_000),
      transferReason: 0,
      signal: null,
      configurationHash: 9,
      extendedConfigurationHash: null,
      cloudToken: '',
      batteryLevel: null,
      channels: [
        { number: 1, type: 1, timestamp: START, startPoint: 233, sampleOffsets: [0, 0] },
        { number: 2, type: 2, timestamp: START, startPoint: 57, sampleOffsets: [0, 0] },
      ],
    });
  });

  it('converts to readings in their unit, each at its own time', () => {
    assert.deepEqual(decodeReadings(decodeMeasurements(temperatureAndHumidity)), [
      { channel: 1, type: 1, value: 23.3, error: null, measuredAt: at(0) },
      { channel: 1, type: 1, value: 23.3, error: null, measuredAt: at(60) },
      { channel: 2, type: 2, value: 57, error: null, measuredAt: at(0) },
      { channel: 2, type: 2, value: 57, error: null, measuredAt: at(60) },
    ]);
  });

  it('converts a binary channel to states with the second of their change', () => {
    const frame = decodeMeasurements(binaryFrame);
    assert.deepEqual([frame.signal, frame.transferReason, frame.configurationHash], [12, 20, 119]);
    const measured = (seconds: number) => new Date((1_694_006_240 + seconds) * 1000);
    assert.deepEqual(decodeReadings(frame), [
      { channel: 1, type: 5, value: 0, error: null, measuredAt: measured(0) },
      { channel: 1, type: 5, value: 0, error: null, measuredAt: measured(480) },
    ]);
  });

  for (const { name, hex } of vectors.measurements) {
    it(`encodes to the bytes of the device: ${name}`, () =>
      assert.equal(hexOf(encodeMeasurements(decodeMeasurements(bytesOf(hex)))), hex));
  }

  it('decodes to the encoded value', () =>
    fc.assert(
      fc.property(measurements, (each) => {
        assert.deepEqual(decodeMeasurements(encodeMeasurements(each)), each);
      }),
    ));

  it('converts to readings with a number or an error and a valid time, for any frame', () =>
    fc.assert(
      fc.property(measurements, (each) => {
        for (const { value, error, measuredAt } of decodeReadings(each)) {
          assert.ok((value === null) !== (error === null));
          assert.ok(value === null || Number.isFinite(value));
          assert.ok(Number.isFinite(measuredAt.getTime()));
        }
      }),
    ));

  it('converts a sensor error to a reading with an error, at its time', () => {
    const readings = decodeReadings(
      message([{ type: 1, startPoint: 223, sampleOffsets: [0, 8_388_557, 1] }]),
    );
    assert.deepEqual(
      readings.map(({ value, error, measuredAt }) => [value, error, measuredAt]),
      [
        [22.3, null, at(0)],
        [null, 8_388_557, at(60)],
        [22.4, null, at(120)],
      ],
    );
  });

  it('reads offsets from 8355840 to 8388607, and no others, as errors', () => {
    const sampleOffsets = [8_355_839, 8_355_840, 8_388_607, 8_388_608];
    const readings = decodeReadings(message([{ type: 36, startPoint: -5_000_000, sampleOffsets }]));
    assert.deepEqual(
      readings.map(({ error }) => error),
      [null, 8_355_840, 8_388_607, null],
    );
  });

  for (const [celsius, raw] of [
    [-3_276.8, -32_768],
    [838_860.8, 8_388_608],
    [4_000.1, 40_001],
    [-273.3, -2_733],
    [214_748_364.7, 2_147_483_647],
  ] as const) {
    it(`converts ${celsius} °C to a reading with an error, its raw value`, () => {
      const [low, out, high] = decodeReadings(
        message([{ type: 1, sampleOffsets: [-2_732, raw, 40_000] }]),
      ) as [Reading, Reading, Reading];
      assert.deepEqual([low.value, high.value], [-273.2, 4_000]);
      assert.deepEqual([out.value, out.error, out.measuredAt], [null, raw, at(60)]);
    });
  }

  it('converts values outside of the range of any type to errors, and others to values', () => {
    for (const { number, resolution, divisor, range } of MEASUREMENT_TYPES) {
      if (!range) continue;
      const [min, max] = range.map((bound) => Math.round((bound / resolution) * (divisor ?? 1))) as [
        number,
        number,
      ];
      const step = divisor ?? 1;
      const sampleOffsets = [min - step, min, max, max + step];
      assert.deepEqual(
        decodeReadings(message([{ type: number, sampleOffsets }])).map(({ value, error }) => value ?? error),
        [min - step, ...range, max + step],
        `type ${number}`,
      );
    }
  });

  it('keeps an error within 32 bits when start point and offset are both at their limits', () => {
    const [reading] = decodeReadings(
      message([{ type: 1, startPoint: 2_147_483_647, sampleOffsets: [2_147_483_647] }]),
    );
    assert.deepEqual([reading?.value, reading?.error], [null, 2_147_483_647]);
  });

  it('keeps channel numbers after channels without a sensor', () => {
    const frame = message([{}, { type: 1, startPoint: -5, sampleOffsets: [0] }]);
    const [reading] = decodeReadings(decodeMeasurements(encodeMeasurements(frame)));
    assert.deepEqual([reading?.channel, reading?.value], [2, -0.5]);
  });

  it('spaces samples without a factor by one base period, or by fourteen when a channel is binary', () => {
    const temperature = { type: 1, sampleOffsets: [1, 2] };
    const old = { measurementPeriodFactor: 0 };
    assert.deepEqual(decodeReadings(message([temperature], old))[1]?.measuredAt, at(60));
    assert.deepEqual(decodeReadings(message([temperature, { type: 5 }], old))[1]?.measuredAt, at(60 * 14));
    assert.deepEqual(decodeReadings(message([temperature, { type: 5 }]))[1]?.measuredAt, at(60));
  });

  it('decodes unknown types without readings', () => {
    const frame = message([{ type: 77, sampleOffsets: [1] }]);
    assert.equal(decodeMeasurements(encodeMeasurements(frame)).channels[0]?.type, 77);
    assert.deepEqual(decodeReadings(frame), []);
  });

  it('keeps values exact to the resolution of their type', () =>
    fc.assert(
      fc.property(fc.constantFrom(...MEASUREMENT_TYPES), fc.nat(1_000_000), (type, raw) => {
        const steps = type.divisor === null ? raw : Math.floor(raw / type.divisor);
        const decimals = Math.max(0, -Math.round(Math.log10(type.resolution)));
        const text = (steps / (type.resolution < 1 ? 10 ** decimals : 1 / type.resolution)).toFixed(decimals);
        assert.equal(measuredValue(type, raw), Number(text));
      }),
    ));

  it('converts raw numbers by the offset or the multiple of their type', () => {
    assert.equal(measuredValue(measurementTypeNamed('co2') as never, 1201), 400);
    assert.equal(measuredValue(measurementTypeNamed('pulse_count_wide_major') as never, 9), 2_000_000);
  });

  for (const [what, hex] of [
    ['no serial number', '1001'],
    ['a serial number of 5 bytes', '0a05282c02424e'],
    ['a serial number of 7 bytes', '0a07282c02424eed00'],
    ['a seventh channel', `0a06282c02424eed${'2200'.repeat(7)}`],
    ['a channel that is cut off', '0a06282c02424eed220f0801'],
    ['a field that ends after its channel', '0a06282c02424eed2202088001'],
    ['a period that is a text', '0a06282c02424eed1a0100'],
    ['a text that would read as two numbers', '0a06282c02424eed32021001'],
    ['a token that is a number', '0a06282c02424eed800105'],
    ['a channel that is a number', '0a06282c02424eed2001'],
    ['a list of samples that ends within a number', '0a06282c02424eed220608012a018001'],
    ['a period above 65535 s', '0a06282c02424eed18808004'],
    ['a channel type above 32767', '0a06282c02424eed2204089f8d06'],
    ['a negative channel type', '0a06282c02424eed2206088080808008'],
    ['a token of 37 characters', `0a06282c02424eed820125${'61'.repeat(37)}`],
    ['field number 0', '0a06282c02424eed0000'],
    ['a group without an end', '0a06282c02424eedf306'],
    ['groups in groups, over a hundred deep', `0a06282c02424eed${'9b06'.repeat(101)}${'9c06'.repeat(101)}`],
    ['a number of 11 bytes', `0a06282c02424eed30${'ff'.repeat(10)}01`],
  ] as const) {
    it(`refuses measurements with ${what}`, () =>
      assert.throws(() => decodeMeasurements(bytesOf(hex)), MalformedMessage));
  }

  it('refuses several samples of a channel without a period between them', () => {
    const frame = (sampleOffsets: number[], type = 1) =>
      encodeMeasurements(
        message(
          [
            { type: 1, sampleOffsets: [0] },
            { type, sampleOffsets },
          ],
          { measurementPeriodBase: 0 },
        ),
      );
    assert.throws(() => decodeMeasurements(frame([0, 1])), MalformedMessage);
    assert.equal(decodeReadings(decodeMeasurements(frame([7]))).length, 2);
    assert.equal(
      decodeReadings(decodeMeasurements(frame([-1, 31], 5))).length,
      3,
      'states carry their own times',
    );
  });

  it('has a period that an integer of PostgreSQL holds, however long the one that was sent is', () => {
    const frame = message([{ type: 1, sampleOffsets: [7] }], {
      measurementPeriodBase: 65_535,
      measurementPeriodFactor: 32_769,
    });
    const decoded = decodeMeasurements(encodeMeasurements({ ...frame }));
    assert.equal(continuousPeriodSeconds(decoded), 2 ** 31 - 1);
  });

  it('refuses samples after the year 2106', () => {
    const sampleOffsets = Array<number>(200).fill(0);
    const frame = message([{ type: 1, timestamp: 2_000_000_000, sampleOffsets }], {
      measurementPeriodBase: 65_535,
      measurementPeriodFactor: 65_535,
    });
    assert.throws(() => decodeMeasurements(encodeMeasurements(frame)), MalformedMessage);
  });

  it('refuses more samples than a datagram can hold', () => {
    const sampleOffsets = Array<number>(800).fill(0);
    const frame = encodeMeasurements(
      message([
        { type: 1, sampleOffsets },
        { type: 1, sampleOffsets },
      ]),
    );
    assert.throws(() => decodeMeasurements(frame), MalformedMessage);
  });

  it('accepts unpacked lists and unknown fields', () => {
    // Type 1, offsets 1 and 2 one by one, a field 100 of the channel, and a field 99 of the message.
    const channel = '0801 2802 2804 a00601'.replaceAll(' ', '');
    const frame = decodeMeasurements(bytesOf(`0a06282c02424eed183c2209${channel}9a060161`));
    assert.deepEqual(frame.channels[0]?.sampleOffsets, [1, 2]);
  });
});
