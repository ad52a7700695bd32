/** Random operations of customers and devices; SYNC_LENGTH is their maximum number in a run. */
import fc from 'fast-check';
import type { Rollout } from './reference/fleet.ts';

export type DeviceOp =
  | { op: 'poll' }
  | { op: 'report'; config: ReportedConfig; made: 'now' | 'before the fetch' | 'ahead'; hasErrors: boolean }
  | { op: 'apply alone'; profile: number }
  /** Fetches and reports an error; or fetches and contradicts until the change counts as refused. */
  | { op: 'refuse' | 'contradict' }
  | { op: 'archive' | 'replace' | 'withdraw' };
/**
 * The content of a report: the offered change over the reported settings, as a whole or in part, nothing of
 * it, or other values.
 */
export type ReportedConfig = 'whole' | 'trimmed' | 'intervals' | 'half' | 'old' | 'other';
export type Op =
  | { op: 'device'; device: number; does: DeviceOp }
  | { op: 'concurrently'; does: DeviceOp[] }
  | { op: 'apply'; profile: number; devices: number[] | 'all'; rollout: Rollout | null }
  | { op: 'edit'; profile: number; to: number }
  | { op: 'cancel' | 'retry' | 'expire'; job: number };

const profiles = fc.nat(2);
const reportedConfigs = fc.constantFrom<ReportedConfig>(
  'whole',
  'whole',
  'trimmed',
  'intervals',
  'half',
  'old',
  'other',
);
const deviceOps: fc.Arbitrary<DeviceOp> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ op: 'poll' } as const) },
  {
    weight: 12,
    arbitrary: fc.record({
      op: fc.constant('report' as const),
      config: reportedConfigs,
      made: fc.constantFrom('now', 'now', 'now', 'now', 'before the fetch', 'ahead'),
      hasErrors: fc.nat(6).map((draw) => draw === 0),
    }),
  },
  { weight: 5, arbitrary: profiles.map((profile) => ({ op: 'apply alone', profile }) as const) },
  { weight: 4, arbitrary: fc.constantFrom({ op: 'refuse' } as const, { op: 'contradict' } as const) },
  { weight: 1, arbitrary: fc.constant({ op: 'archive' } as const) },
  { weight: 2, arbitrary: fc.constant({ op: 'replace' } as const) },
  { weight: 2, arbitrary: fc.constant({ op: 'withdraw' } as const) },
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
      op: fc.constant('concurrently' as const),
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
/** Includes one operation of each kind in any case, at a random place after a first apply to all. */
const oneOfEach: fc.Arbitrary<Op>[] = [
  ...(
    ['poll', 'report', 'apply alone', 'refuse', 'contradict', 'archive', 'replace', 'withdraw'] as const
  ).map((op) =>
    fc.record({
      op: fc.constant('device' as const),
      device: fc.nat(2),
      does: deviceOps.filter((does) => does.op === op),
    }),
  ),
  ...(['concurrently', 'edit', 'cancel', 'retry', 'expire'] as const).map((op) =>
    ops.filter((each) => each.op === op),
  ),
  ops.filter((each) => each.op === 'apply' && each.rollout !== null),
];
const lengthMax = Number(process.env.SYNC_LENGTH ?? 40);
const restMax = Math.max(1, lengthMax - oneOfEach.length - 1);
export const operations: fc.Arbitrary<Op[]> = fc.noBias(
  fc
    .record({
      profile: profiles,
      placed: fc.tuple(...oneOfEach.map((each) => fc.tuple(each, fc.nat(lengthMax)))),
      rest: fc.array(ops, { minLength: Math.ceil(restMax / 4), maxLength: restMax, size: 'max' }),
    })
    .map(({ profile, placed, rest }) => {
      const drawn = [...rest];
      for (const [op, place] of placed) drawn.splice(place % (drawn.length + 1), 0, op);
      return [{ op: 'apply', profile, devices: 'all', rollout: null } as const, ...drawn];
    }),
);
