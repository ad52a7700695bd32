/** Outages of the network of a simulated logger. */
import assert from 'node:assert/strict';
import { withOutages } from '../../../dev/simulator/faults.ts';
import { Unanswered, type Uplink } from '../../../dev/simulator/uplink.ts';
import type { MeasurementsMessage } from '../../../src/gateway/measurements-message.ts';

const channel = (sampleOffsets: number[]) => ({
  number: 1,
  type: 1,
  timestamp: 6_000,
  startPoint: 40,
  sampleOffsets,
});
const message = (sampleOffsets: number[]) =>
  ({
    measurementPeriodBase: 60,
    measurementPeriodFactor: 1,
    channels: [channel(sampleOffsets)],
  }) as unknown as MeasurementsMessage;

describe('After an outage of the network', () => {
  it('sends the newest samples first, each with its time', async () => {
    const sent: MeasurementsMessage[] = [];
    const network = {
      async measurements(each: MeasurementsMessage) {
        sent.push(each);
        return null;
      },
    };
    const draws = [0, 0, 1, 1];
    const uplink = withOutages(network as unknown as Uplink, 0.5, () => draws.shift() ?? 1);
    await assert.rejects(uplink.measurements(message([0]), true), Unanswered);
    assert.equal(sent.length, 0);
    await uplink.measurements(message([0, 1, 2, 3, 4]), true);
    await uplink.measurements(message([5, 6]), true);
    assert.deepEqual(
      sent.map(({ channels }) => channels.map(({ timestamp, sampleOffsets }) => [timestamp, sampleOffsets])),
      [[[6_120, [2, 3, 4]]], [[6_000, [0, 1]]], [[6_000, [5, 6]]]],
    );
  });
});
