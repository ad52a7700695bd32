import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type DeviceSync, NEW_DEVICE } from '../../src/devices/device-sync.ts';
import { keyOfReading, type Reading, type SentReading } from '../../src/devices/reading.ts';
import { type Frame, receiveFrame } from '../../src/measurements/frame.ts';
import { EMPTY_FRAME, lockedDevice, SENSOR_FAULT, temperature } from './fixtures.ts';

const NOW = new Date('2026-03-02T12:00:00.000Z');
const minutes = (count: number) => new Date(NOW.getTime() + count * 60_000);
const at = (minute: number, more: Partial<Reading> = {}) => temperature(minute, more, NOW.getTime());

const frame = (more: Partial<Frame> = {}): Frame => ({
  ...EMPTY_FRAME,
  organizationId: 'o',
  serialNumber: 's',
  receivedAt: NOW,
  ...more,
});

describe('A frame', () => {
  /** Takes the frames of one device, one after the other. */
  function framesOf(sync: Partial<DeviceSync> = {}) {
    let device = lockedDevice({ sync: { ...NEW_DEVICE, ...sync } });
    const stored = new Map<number, Reading>();
    return {
      take(sent: Frame) {
        const received = receiveFrame(device, sent, { now: sent.receivedAt, stored });
        for (const reading of received.fresh) stored.set(keyOfReading(reading), reading);
        device = { ...device, state: received.state };
        return received;
      },
    };
  }

  it('counts a stored reading as a duplicate, and an older one as late', () => {
    const { take } = framesOf();
    const first = take(frame({ readings: [at(-3), at(-1)] }));
    const second = take(frame({ readings: [at(-2), at(-1), at(0)] }));
    assert.deepEqual([first.duplicates, second.duplicates], [0, 1]);
    assert.deepEqual(
      second.fresh.map(({ value, late }) => [value, late]),
      [
        [-2, true],
        [0, false],
      ],
    );
    assert.deepEqual(first.state.presence.status, 'online');
  });

  it('counts a reading that it repeats once, and one that contradicts another not at all', () => {
    const readings = [at(-1), at(-1), at(-1, { value: 9 })];
    const { fresh, duplicates, conflicts } = framesOf().take(frame({ readings }));
    assert.deepEqual([fresh.map(({ value }) => value), duplicates, conflicts], [[-1], 1, 1]);
  });

  it('marks no reading late because of earlier ones by a fast clock', () => {
    const { take } = framesOf();
    const { state } = take(frame({ readings: [at(4), at(20 * 60)] }));
    assert.deepEqual(state.newestReadingAt, { 1: minutes(4).getTime() });
    const [reading] = take(frame({ readings: [at(5)] })).fresh;
    assert.equal(reading?.late, false);
  });

  it('takes the time of the last reading from the same samples as the latest values, however the clock runs', () => {
    const hours = fc.array(fc.integer({ min: -23 * 60, max: 23 * 60 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(hours, (ahead) => {
        const { take } = framesOf();
        for (const [index, minute] of ahead.entries()) {
          const readings = [at(index + minute)];
          const { state, fresh } = take(frame({ receivedAt: minutes(index), readings }));
          if (fresh[0]?.late === false) assert.equal(state.lastReadingAt?.getTime(), state.latest[0]?.[2]);
        }
      }),
    );
  });

  it('keeps a latest value that came in time when a newer one comes late', () => {
    const { take } = framesOf();
    take(frame({ readings: [at(-5)] }));
    const days = (count: number) => count * 1_440;
    const { state } = take(frame({ readings: [at(days(1))], receivedAt: minutes(days(3)) }));
    assert.deepEqual(state.latest, [[1, 1, minutes(-5).getTime(), -5]]);
  });

  it('returns to the last reading before a fast clock when older ones follow', () => {
    const { take } = framesOf();
    take(frame({ readings: [at(-10)] }));
    assert.deepEqual(take(frame({ readings: [at(20 * 60)] })).state.lastReadingAt, minutes(20 * 60));
    assert.deepEqual(take(frame({ readings: [at(-60)] })).state.lastReadingAt, minutes(-10));
  });

  it('keeps fields that a frame leaves out', () => {
    const { take } = framesOf();
    take(frame({ batteryStatus: 'low', signal: 30, channelTypes: [2, 1, 0, 0, 0, 0], readings: [at(-5)] }));
    assert.deepEqual(take(frame({ receivedAt: minutes(1) })).state, {
      presence: { status: 'online', lastContactAt: minutes(1), expectedBy: null },
      signalStrength: 'good',
      sendsSignal: true,
      batteryStatus: 'low',
      lastReadingAt: minutes(-5),
      latestMeasuredAt: minutes(-5),
      channelTypes: [2, 1, 0, 0, 0, 0],
      newestReadingAt: { 1: minutes(-5).getTime() },
      latest: [[1, 1, minutes(-5).getTime(), -5]],
    });
  });

  it('counts a sensor error as measured, and not as the last reading', () => {
    const error = at(-1, { value: null, error: SENSOR_FAULT });
    const { state } = framesOf().take(frame({ readings: [at(-5), error] }));
    assert.deepEqual([state.lastReadingAt, state.latestMeasuredAt], [minutes(-5), minutes(-1)]);
  });

  it('resolves positions by the channels in the frame itself', () => {
    const readings: SentReading[] = [{ ...at(-1), channel: 'probe' }];
    const { fresh } = framesOf().take(frame({ channelTypes: [2, 1, 0, 0, 0, 0], readings }));
    assert.equal(fresh[0]?.channel, 2);
  });

  it('starts a new deadline with each frame, by the interval that the device runs', () => {
    const { take } = framesOf({ confirmed: { transmissionInterval: 600 } });
    const named = take(frame({ nextTransmissionAt: minutes(30) }));
    assert.deepEqual(named.state.presence.expectedBy, minutes(40));
    const unnamed = take(frame({ receivedAt: minutes(1) }));
    assert.deepEqual(unnamed.state.presence.expectedBy, minutes(21));
  });

  it('starts a deadline by a longer interval if the answer to the frame can deliver it', () => {
    const pending = {
      config: { transmissionInterval: 3_600 },
      fetchedAt: null,
      contradictions: 0,
      refusal: null,
    };
    const deadlineOf = (canDeliverConfig: boolean) =>
      framesOf({ confirmed: { transmissionInterval: 600 }, pending }).take(frame({ canDeliverConfig })).state
        .presence.expectedBy;
    assert.deepEqual([deadlineOf(true), deadlineOf(false)], [minutes(120), minutes(20)]);
  });
});
