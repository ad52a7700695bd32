import assert from 'node:assert/strict';
import { channelAt, channelText, type Layout, positionOf } from '../../src/devices/device-capabilities.ts';

describe('The positions of a device', () => {
  const withTypes = (...channelTypes: number[]): Layout => ({ model: 'TVO-THT', channelTypes });
  const positionsOf = (layout: Layout, types: number[]) =>
    types.map((type, index) => positionOf(index + 1, type, layout));

  it('uses the first reported temperature channel as ambient, and the last as probe', () => {
    assert.deepEqual(positionsOf(withTypes(2, 1, 1, 1, 0, 0), [2, 1, 1, 1]), [
      null,
      'ambient',
      null,
      'probe',
    ]);
  });

  it('uses a single temperature channel as the probe, and finds it by either position', () => {
    const layout = withTypes(2, 1, 0, 0, 0, 0);
    assert.deepEqual(positionsOf(layout, [2, 1]), [null, 'probe']);
    assert.deepEqual([channelAt('probe', layout), channelAt('ambient', layout)], [2, 2]);
  });

  it('uses the channels of the product line until the device has reported its own', () => {
    assert.deepEqual(positionsOf({ model: 'tvo-tht ', channelTypes: null }, [1, 2, 1]), [
      'ambient',
      null,
      'probe',
    ]);
  });

  it('uses channel 1 as the probe when no channel is known, or none was reported', () => {
    for (const layout of [
      { model: null, channelTypes: null },
      { model: 'TVO-X', channelTypes: null },
      { model: 'TVO-THT', channelTypes: [] },
    ])
      assert.deepEqual(positionsOf(layout, [1, 1]), ['probe', null]);
  });

  it('names a channel by its position, and one without a position by its number alone', () => {
    const layout = withTypes(1, 2, 1, 0, 0, 0);
    assert.deepEqual(
      [1, 2, 3].map((channel) => channelText(channel, layout)),
      ['ambient (channel 1)', 'channel 2', 'probe (channel 3)'],
    );
    assert.equal(channelText(1, withTypes(2, 0, 0, 0, 0, 0)), 'channel 1');
  });

  it('finds a channel by its position and the position by that channel', () => {
    for (const layout of [
      withTypes(1, 1, 1, 0, 0, 0),
      withTypes(0, 0, 1, 0, 0, 1),
      { model: 'TVO-THT', channelTypes: null },
    ]) {
      for (const position of ['probe', 'ambient'] as const) {
        assert.equal(positionOf(channelAt(position, layout), 1, layout), position);
      }
    }
  });
});
