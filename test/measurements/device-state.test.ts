/** What frames tell of their device: signal, layout, and when it is missed. */
import assert from 'node:assert/strict';
import { channelAt, positionOf } from '../../src/devices/channel-layout.ts';
import { signalStrengthOf, signalStrengthOfDbm } from '../../src/devices/device-status.ts';
import { createDeviceFrames } from '../../src/measurements/device-frame-fold.ts';
import type { Frame } from '../../src/measurements/frame.ts';
import type { DeviceState } from '../../src/measurements/stored-frame.ts';
import { expectedBy } from '../../src/presence/expected-contact.ts';

const NOW = new Date('2026-03-02T12:00:00.000Z');
const minutes = (count: number) => new Date(NOW.getTime() + count * 60_000);

describe('The signal of a device', () => {
  it('is good from -85 dBm, fair from -100 dBm, else poor', () => {
    assert.deepEqual([63, 25, 24, 10, 9, 1].map(signalStrengthOf), [
      'good',
      'good',
      'fair',
      'fair',
      'poor',
      'poor',
    ]);
    assert.deepEqual([-48, -85, -86, -100, -101, -140].map(signalStrengthOfDbm), [
      'good',
      'good',
      'fair',
      'fair',
      'poor',
      'poor',
    ]);
  });

  it('is unknown where the number says nothing', () => {
    assert.deepEqual([0, 99, 64, 98, -1].map(signalStrengthOf), Array(5).fill('unknown'));
  });
});

describe('The next contact with a device', () => {
  const expected = (nextTransmissionAt: Date | null, transmissionInterval: number | null) =>
    expectedBy({ at: NOW, nextTransmissionAt, transmissionInterval });

  it('is overdue one interval after the time that it named, at least ten minutes', () => {
    assert.deepEqual(expected(minutes(30), 3_600), minutes(90));
    assert.deepEqual(expected(minutes(30), 60), minutes(40));
    assert.deepEqual(expected(minutes(30), null), minutes(40));
  });

  it('counts from the time that it named while its grace is not over', () => {
    assert.deepEqual(expected(minutes(-9), null), minutes(1));
    assert.deepEqual(expected(minutes(0), 3_600), minutes(60));
  });

  it('without a time of its own is overdue after the interval that it runs, and the grace', () => {
    assert.deepEqual(expected(null, 3_600), minutes(120));
    assert.deepEqual(expected(null, 60), minutes(11));
  });

  it('is never overdue when nothing is known', () => assert.equal(expected(null, null), null));

  it('is not taken from a clock that is wrong', () => {
    for (const wrong of [minutes(-60), minutes(-600), new Date('2100-01-01'), minutes(14 * 1_440 + 1)]) {
      assert.deepEqual(expected(wrong, 3_600), minutes(120), wrong.toISOString());
      assert.equal(expected(wrong, null), null);
    }
  });
});

describe('The positions of a device', () => {
  const known = (...channelTypes: number[]) => ({ model: 'TVO-THT', channelTypes });
  const places = (layout: { model: string | null; channelTypes: number[] | null }, types: number[]) =>
    types.map((type, index) => positionOf(index + 1, type, layout));

  it('are the first and the last temperature channel that it showed', () => {
    assert.deepEqual(places(known(2, 1, 1, 1, 0, 0), [2, 1, 1, 1]), [null, 'ambient', null, 'probe']);
  });

  it('are one and the same, the probe, where there is one temperature channel', () => {
    const layout = known(2, 1, 0, 0, 0, 0);
    assert.deepEqual(places(layout, [2, 1]), [null, 'probe']);
    assert.deepEqual([channelAt('probe', layout), channelAt('ambient', layout)], [2, 2]);
  });

  it('are those of its product line before it showed anything', () => {
    assert.deepEqual(places({ model: 'tvo-tht', channelTypes: null }, [1, 2, 1]), ['ambient', null, 'probe']);
  });

  it('are channel 1 where nothing is known', () => {
    assert.deepEqual(places({ model: null, channelTypes: null }, [1, 1]), ['probe', null]);
  });

  it('name the channel that they are shown for', () => {
    for (const layout of [
      known(1, 1, 1, 0, 0, 0),
      known(0, 0, 1, 0, 0, 1),
      { model: 'TVO-THT', channelTypes: null },
    ]) {
      for (const position of ['probe', 'ambient'] as const) {
        assert.equal(positionOf(channelAt(position, layout), 1, layout), position);
      }
    }
  });
});

describe('The frames of a device within a batch', () => {
  const initial: DeviceState = {
    status: 'offline',
    signalStrength: 'unknown',
    batteryStatus: 'unknown',
    lastReadingAt: null,
    latestMeasuredAt: null,
    lastContactAt: null,
    expectedBy: null,
    channelTypes: null,
    newestReadingAt: {},
  };
  const frame = (more: Partial<Frame> = {}): Frame => ({
    organizationId: 'o',
    serialNumber: 's',
    readings: [],
    batteryStatus: null,
    signal: null,
    configHash: null,
    nextTransmissionAt: null,
    channelTypes: null,
    receivedAt: NOW,
    canDeliverConfig: true,
    ...more,
  });
  const at = (count: number, channel: number | 'probe' = 1) => ({
    channel,
    type: 1,
    value: count,
    error: null,
    measuredAt: minutes(count),
  });
  const course = (transmissionInterval: number | null = null) => {
    const { take, state } = createDeviceFrames(initial, { model: null, channelTypes: null });
    return { state, take: (sent: Frame) => take(sent, transmissionInterval) };
  };

  it('are taken one after the other: what an earlier one said is known to the next', () => {
    const { take } = course();
    const first = take(frame({ readings: [at(-3), at(-1)] }));
    const second = take(frame({ readings: [at(-2), at(-1), at(0)] }));
    assert.deepEqual([first.repeated, second.repeated], [0, 1]);
    assert.deepEqual(
      second.readings.map(({ value, late }) => [value, late]),
      [
        [-2, true],
        [0, false],
      ],
    );
    assert.deepEqual([first.before.status, second.before.status], ['offline', 'online']);
  });

  it('of a clock that ran ahead make nothing late that comes after it was set right', () => {
    const { take, state } = course();
    take(frame({ readings: [at(4), at(20 * 60)] }));
    assert.deepEqual(state().newestReadingAt, { 1: minutes(4).getTime() });
    const [after] = take(frame({ readings: [at(5)] })).readings;
    assert.equal(after?.late, false);
  });

  it('change only what they say', () => {
    const { take, state } = course();
    take(frame({ batteryStatus: 'low', signal: 30, channelTypes: [2, 1, 0, 0, 0, 0], readings: [at(-5)] }));
    take(frame({ receivedAt: minutes(1) }));
    assert.deepEqual(state(), {
      status: 'online',
      signalStrength: 'good',
      batteryStatus: 'low',
      lastReadingAt: minutes(-5),
      latestMeasuredAt: minutes(-5),
      lastContactAt: minutes(1),
      expectedBy: null,
      channelTypes: [2, 1, 0, 0, 0, 0],
      newestReadingAt: { 1: minutes(-5).getTime() },
    });
  });

  it('find positions in the layout that they show themselves', () => {
    const { take } = course();
    const { readings } = take(frame({ channelTypes: [2, 1, 0, 0, 0, 0], readings: [at(-1, 'probe')] }));
    assert.equal(readings[0]?.channel, 2);
  });

  it('count what lies outside of plausible times, and keep the rest', () => {
    const { dropped, readings } = course().take(
      frame({ readings: [at(-60 * 24 * 365 * 20), at(60 * 25), at(0)] }),
    );
    assert.deepEqual([dropped, readings.length], [2, 1]);
  });

  it('set the time of the next contact anew', () => {
    const { take, state } = course(600);
    take(frame({ nextTransmissionAt: minutes(30) }));
    assert.deepEqual(state().expectedBy, minutes(40));
    take(frame({ receivedAt: minutes(1) }));
    assert.deepEqual(state().expectedBy, minutes(21));
  });
});
