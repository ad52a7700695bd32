/** Random states of the synchronization with a device. */
import fc from 'fast-check';
import { CONFIGURATION_KEYS, keysOf } from '../../src/devices/configuration.ts';
import type { DeviceSync } from '../../src/devices/device-sync.ts';
import { SYMBOLS, toConfiguration } from './config-symbols.ts';
import { START_MS } from './fixtures.ts';

export const configs = (minKeys: number) =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...CONFIGURATION_KEYS), fc.constantFrom(...SYMBOLS)), {
      selector: ([key]) => key,
      minLength: minKeys,
    })
    .map((entries) => toConfiguration(Object.fromEntries(entries), 0));
const hashes = fc.option(fc.nat(3));
const times = fc.nat(100).map((seconds) => new Date(START_MS + seconds * 1_000));
/** Any state of a device, even one that no history leads to. */
export const syncs: fc.Arbitrary<DeviceSync> = fc.record({
  reported: fc.option(fc.record({ config: configs(0), at: times, hash: hashes })),
  confirmed: fc.option(configs(0)),
  revision: fc.nat(1_000),
  pending: fc.option(
    fc
      .record({
        config: configs(1),
        fetchedAt: fc.option(times),
        contradictions: fc.nat(2),
        refusal: fc.option(fc.constant({ reason: 'the device refused: out of range' })),
        isRefused: fc.func(fc.boolean()),
      })
      .map(({ refusal, isRefused, ...pending }) => {
        const keys = keysOf(pending.config).filter(isRefused);
        return { ...pending, refusal: refusal && keys.length > 0 ? { ...refusal, keys } : null };
      }),
  ),
  observedHash: hashes,
  isInheriting: fc.boolean(),
  knownErrors: fc.option(
    fc.record({
      ids: fc.constantFrom(['7'], ['7', 'a, "b"']),
      at: fc.option(times),
      refusedKeys: fc.subarray([...CONFIGURATION_KEYS]),
    }),
  ),
});
