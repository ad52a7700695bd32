/** The memory of exchanges against a map that never forgets but by time. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createExchangeCache } from '../../src/gateway/exchange-cache.ts';

const LIFETIME_MS = 100;
const keyOf = (id: number) => `10.0.0.${id % 3}:5683:${id}`;

type Step = { kind: 'begin' | 'forget'; id: number } | { kind: 'end'; id: number; answer: Buffer };

const ids = fc.nat(12);
const answers = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
const steps = fc.record({
  laterMs: fc.nat(60),
  step: fc.oneof(
    fc.record({ kind: fc.constantFrom('begin' as const, 'forget' as const), id: ids }),
    fc.record({ kind: fc.constant('end' as const), id: ids, answer: answers }),
  ) as fc.Arbitrary<Step>,
});

describe('The memory of exchanges', () => {
  it('knows what is under way and what was answered within the lifetime, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 60 }), (course) => {
        let nowMs = 0;
        // Blocks of some records, so that courses go over many of them; all of them hold every course.
        const memory = createExchangeCache({
          lifetimeMs: LIFETIME_MS,
          bytesMax: 16 * 400,
          nowMs: () => nowMs,
        });
        const underWay = new Set<number>();
        const ended = new Map<number, { atMs: number; answer: Buffer }>();
        for (const { laterMs, step } of course) {
          nowMs += laterMs;
          const key = keyOf(step.id);
          if (step.kind === 'begin') {
            memory.begin(key);
            underWay.add(step.id);
          } else {
            memory.end(key, step.kind === 'end' ? step.answer : null);
            underWay.delete(step.id);
            if (step.kind === 'end') ended.set(step.id, { atMs: nowMs, answer: step.answer });
          }
          for (let id = 0; id <= 12; id++) {
            const last = ended.get(id);
            const kept = last && last.atMs > nowMs - LIFETIME_MS ? last.answer.toString('hex') : null;
            const found = memory.find(keyOf(id))?.toString('hex') ?? null;
            assert.equal(found, underWay.has(id) ? '' : kept);
          }
        }
      }),
    );
  });

  it('takes no more room than it was given, whoever sends, and keeps the latest', () => {
    const memory = createExchangeCache({ lifetimeMs: 1e9, bytesMax: 64 * 1024, nowMs: () => 0 });
    const total = 100_000;
    const before = process.memoryUsage().arrayBuffers;
    for (let id = 0; id < total; id++) {
      memory.begin(keyOf(id));
      memory.end(keyOf(id), Buffer.from(String(id)));
    }
    const known = Array.from({ length: total }, (_, id) => id).filter((id) => memory.find(keyOf(id)));
    assert.deepEqual(
      known,
      Array.from({ length: known.length }, (_, index) => total - known.length + index),
    );
    assert.ok(known.length > 1_000, `${known.length} known`);
    assert.ok(process.memoryUsage().arrayBuffers - before < 16 * 1024 * 1024);
    assert.equal(memory.find(keyOf(total - 1))?.toString(), String(total - 1));
  });

  it('tells keys of one hash apart', () => {
    const memory = createExchangeCache({ lifetimeMs: 1e9, bytesMax: 1 << 20, nowMs: () => 0 });
    const keys = ['10.0.0.3:5684:118', '10.0.0.5:5684:776'];
    for (const key of keys) memory.end(key, Buffer.from(key));
    for (const key of keys) assert.equal(memory.find(key)?.toString(), key);
  });
});
