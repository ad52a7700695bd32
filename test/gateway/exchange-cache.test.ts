/** The exchange cache, compared with a model: a map without a memory limit. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createExchangeCache } from '../../src/gateway/exchange-cache.ts';

const LIFETIME_MS = 100;
/**
 * Keys as in the server, with the digest of the datagram, which can be any bytes. Two of them share each
 * message id.
 */
const keyOf = (id: number) => `10.0.0.${id % 3}:5683:${id >> 1}:${String.fromCharCode(255, 0, 128, id & 1)}`;

type Step = { kind: 'begin' | 'drop'; id: number } | { kind: 'end'; id: number; answer: Buffer };

const ids = fc.nat(12);
const answers = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
const steps = fc.record({
  laterMs: fc.nat(60),
  step: fc.oneof(
    fc.record({ kind: fc.constantFrom('begin' as const, 'drop' as const), id: ids }),
    fc.record({ kind: fc.constant('end' as const), id: ids, answer: answers }),
  ) as fc.Arbitrary<Step>,
});

describe('The exchange cache', () => {
  it('finds exchanges that are in flight or were answered within the lifetime, and no others', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 60 }), (sequence) => {
        let nowMs = 0;
        // Small blocks, so that a sequence fills several of them, but never all.
        const cache = createExchangeCache({
          lifetimeMs: LIFETIME_MS,
          bytesMax: 16 * 400,
          nowMs: () => nowMs,
        });
        const inFlight = new Set<number>();
        const ended = new Map<number, { atMs: number; answer: Buffer }>();
        for (const { laterMs, step } of sequence) {
          nowMs += laterMs;
          const key = keyOf(step.id);
          if (step.kind === 'begin') {
            cache.begin(key);
            inFlight.add(step.id);
          } else {
            cache.end(key, step.kind === 'end' ? step.answer : null);
            inFlight.delete(step.id);
            if (step.kind === 'end') ended.set(step.id, { atMs: nowMs, answer: step.answer });
          }
          for (let id = 0; id <= 12; id++) {
            const last = ended.get(id);
            const kept = last && last.atMs > nowMs - LIFETIME_MS ? last.answer.toString('hex') : null;
            const found = cache.find(keyOf(id))?.toString('hex') ?? null;
            assert.equal(found, inFlight.has(id) ? '' : kept);
          }
        }
      }),
    );
  });

  it('stays within its memory limit and keeps the latest exchanges', () => {
    const cache = createExchangeCache({ lifetimeMs: 1e9, bytesMax: 64 * 1024, nowMs: () => 0 });
    const total = 100_000;
    const before = process.memoryUsage().arrayBuffers;
    for (let id = 0; id < total; id++) {
      cache.begin(keyOf(id));
      cache.end(keyOf(id), Buffer.from(String(id)));
    }
    const known = Array.from({ length: total }, (_, id) => id).filter((id) => cache.find(keyOf(id)));
    assert.deepEqual(
      known,
      Array.from({ length: known.length }, (_, index) => total - known.length + index),
    );
    assert.ok(known.length > 1_000, `${known.length} known`);
    assert.ok(process.memoryUsage().arrayBuffers - before < 16 * 1024 * 1024);
    assert.equal(cache.find(keyOf(total - 1))?.toString(), String(total - 1));
  });

  it('separates the answers of keys with the same hash', () => {
    const cache = createExchangeCache({ lifetimeMs: 1e9, bytesMax: 1 << 20, nowMs: () => 0 });
    const keys = ['10.0.0.3:5684:118', '10.0.0.5:5684:776'];
    for (const key of keys) cache.end(key, Buffer.from(key));
    for (const key of keys) assert.equal(cache.find(key)?.toString(), key);
  });
});
