/** The simulated temperatures are plausible, and the same for the same seed. */
import assert from 'node:assert/strict';
import { CLIMATES, type Climate, humidityAt, temperatureAt } from '../../../dev/simulator/climate.ts';
import { createRandom } from '../../../dev/simulator/random.ts';

const DAY = 86_400;
const SEEDS = Array.from({ length: 20 }, (_, index) => index * 31 + 1);

/** A day of every seed, minute by minute. */
const temperaturesOf = (climate: Climate) =>
  SEEDS.flatMap((seed) =>
    Array.from({ length: DAY / 60 }, (_, minute) => temperatureAt({ climate, seed }, minute * 60)),
  );
const shareWithin = (temperatures: number[], low: number, high: number) =>
  temperatures.filter((celsius) => celsius >= low && celsius <= high).length / temperatures.length;

describe('A climate', () => {
  it('stays within the range of a fridge, a freezer or a room', () => {
    assert.ok(shareWithin(temperaturesOf('fridge'), 2, 8) > 0.999);
    assert.ok(shareWithin(temperaturesOf('freezer'), -25, -15) > 0.99);
    assert.ok(shareWithin(temperaturesOf('room'), 18, 24) > 0.999);
  });

  it('varies with the compressor, defrosting, day and night', () => {
    for (const climate of CLIMATES) {
      const temperatures = temperaturesOf(climate).slice(0, DAY / 60);
      assert.ok(Math.max(...temperatures) - Math.min(...temperatures) > 1.5, climate);
    }
  });

  it('warms a fridge above 8 °C while its door is open, and cools it afterwards', () => {
    for (const seed of SEEDS) {
      const place = { climate: 'fridge' as const, seed };
      const open = { fromSeconds: 10_000, toSeconds: 10_000 + 900 };
      assert.ok(temperatureAt(place, 10_900, open) > 8);
      assert.ok(temperatureAt(place, 10_900 + 2 * 3_600, open) < 8);
      assert.ok(humidityAt(place, 10_900, open) > humidityAt(place, 10_900));
    }
  });

  it('repeats for the same seed and differs for another', () => {
    const at = (seed: number) => temperatureAt({ climate: 'fridge', seed }, 5_000);
    assert.equal(at(1), at(1));
    assert.notEqual(at(1), at(2));
    const [a, b] = [createRandom(3), createRandom(3)];
    const draws = Array.from({ length: 1_000 }, () => a());
    assert.deepEqual(
      draws,
      Array.from({ length: 1_000 }, () => b()),
    );
    const mean = draws.reduce((sum, each) => sum + each, 0) / draws.length;
    assert.ok(mean > 0.45 && mean < 0.55);
    assert.ok(draws.every((each) => each >= 0 && each < 1));
  });
});
