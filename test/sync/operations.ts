/** What customers and devices may do, in any order, as fast-check makes it; SYNC_LENGTH is the longest course. */
import fc from 'fast-check';
import type { Rollout } from './model-fleet.ts';

export type DeviceOp =
  | { op: 'poll' }
  | { op: 'report'; says: Says; made: 'now' | 'before the fetch' | 'ahead'; hasErrors: boolean }
  | { op: 'apply alone'; profile: number }
  /** Fetches and refuses; keeps what it runs through rounds of fetch and report. */
  | { op: 'refuse' | 'persist' }
  | { op: 'archive' | 'replace' };
export type Says = 'true' | 'trimmed' | 'lean' | 'half' | 'old' | 'foreign';
export type Op =
  | { op: 'device'; device: number; does: DeviceOp }
  | { op: 'at once'; does: DeviceOp[] }
  | { op: 'apply'; profile: number; devices: number[] | 'all'; rollout: Rollout | null }
  | { op: 'edit'; profile: number; to: number }
  | { op: 'cancel' | 'retry' | 'expire'; job: number };

const profiles = fc.nat(2);
const says = fc.constantFrom<Says>('true', 'true', 'trimmed', 'lean', 'half', 'old', 'foreign');
const deviceOps: fc.Arbitrary<DeviceOp> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ op: 'poll' } as const) },
  {
    weight: 12,
    arbitrary: fc.record({
      op: fc.constant('report' as const),
      says,
      made: fc.constantFrom('now', 'now', 'now', 'now', 'before the fetch', 'ahead'),
      hasErrors: fc.nat(6).map((draw) => draw === 0),
    }),
  },
  { weight: 5, arbitrary: profiles.map((profile) => ({ op: 'apply alone', profile }) as const) },
  { weight: 4, arbitrary: fc.constantFrom({ op: 'refuse' } as const, { op: 'persist' } as const) },
  { weight: 1, arbitrary: fc.constant({ op: 'archive' } as const) },
  { weight: 2, arbitrary: fc.constant({ op: 'replace' } as const) },
);
const percent = fc.constantFrom(33, 50, 100);
const ops: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ op: fc.constant('device' as const), device: fc.nat(2), does: deviceOps }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('at once' as const),
      does: fc.array(deviceOps, { minLength: 2, maxLength: 3 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('apply' as const),
      profile: profiles,
      devices: fc.oneof(
        fc.constant('all' as const),
        fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 3 }),
      ),
      rollout: fc.option(
        fc.record({
          firstPercent: fc.constantFrom(33, 50),
          minAppliedPercent: percent,
          abortFailedPercent: percent,
        }),
        { freq: 2 },
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constant('edit' as const), profile: profiles, to: fc.nat(1) }),
  },
  { weight: 3, arbitrary: fc.nat(100).map((job) => ({ op: 'cancel', job }) as const) },
  { weight: 3, arbitrary: fc.nat(100).map((job) => ({ op: 'retry', job }) as const) },
  { weight: 1, arbitrary: fc.nat(100).map((job) => ({ op: 'expire', job }) as const) },
);
const lengthMax = Number(process.env.SYNC_LENGTH ?? 40);
export const courses = fc.noBias(
  fc.array(ops, { minLength: Math.ceil(lengthMax / 4), maxLength: lengthMax, size: 'max' }),
);
