/** Gauges that are read with the metrics. */
import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { addGauge, atMostEvery } from '../../src/http/instruments.ts';

describe('A gauge', () => {
  it('asks once per interval, for concurrent and successive reads of the metrics', async () => {
    let asked = 0;
    const read = atMostEvery(60_000, async () => ++asked);
    assert.deepEqual(await Promise.all([read(), read()]), [1, 1]);
    assert.equal(await read(), 1);
    const always = atMostEvery(0, async () => ++asked);
    assert.deepEqual([await always(), await always()], [2, 3]);
  });

  it('shows the latest known value while the next one is late or fails, and not for ever', async () => {
    const readOnce = (next: () => Promise<number>, keptMs?: number) => {
      let answers = 1;
      return atMostEvery(0, () => (answers-- > 0 ? Promise.resolve(5) : next()), 20, keptMs);
    };
    const hang = () => new Promise<number>(() => {});
    const fail = () => Promise.reject(new Error('canceling statement due to statement timeout'));
    const reads = [readOnce(hang), readOnce(fail), readOnce(hang, 0)];
    assert.deepEqual(await Promise.all(reads.map((read) => read())), [5, 5, 5]);
    assert.deepEqual(await Promise.all(reads.map((read) => read())), [5, 5, null]);
  });

  it('leaves out an unknown gauge, and shows the others', async () => {
    const registry = new Registry();
    const add = (name: string, read: () => Promise<number | null>, labelNames: string[] = []) =>
      addGauge(registry, {
        name,
        help: name,
        labelNames,
        read: async () => {
          const value = await read();
          return value === null ? null : [{ value }];
        },
      });
    add('known', async () => 0);
    add(
      'failing',
      atMostEvery(0, () => Promise.reject(new Error('away'))),
    );
    add(
      'hanging',
      atMostEvery(0, () => new Promise<number>(() => {}), 20),
    );
    const samples = (await registry.metrics()).split('\n').filter((line) => /^[a-z]/.test(line));
    assert.deepEqual(samples, ['known 0']);
  });
});
