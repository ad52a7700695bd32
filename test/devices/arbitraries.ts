/** Random events in the life of a device, and its reports. */
import fc from 'fast-check';
import { CONFIGURATION_KEYS, type ConfigurationKey } from '../../src/devices/configuration.ts';
import type { ModelReport, ReferenceDevice } from '../sync/reference/device.ts';
import { type ConfigSymbol, SYMBOLS, type SymbolicConfig } from './config-symbols.ts';
import { COAP_SLACK_MS, START_MS } from './fixtures.ts';

/** The value of one setting in a report. */
type ReportedValue = 'absent' | 'as pending' | 'as reported' | 'otherwise';
type MadeAt = 'now' | 'at the fetch' | 'before the fetch' | 'long ago' | 'ahead';
type ErrorMadeAt = MadeAt | '60 s before the fetch' | '61 s before the fetch';

interface ReportDraw {
  values: Record<ConfigurationKey, ReportedValue>;
  made: MadeAt;
  /** Whether it arrived before the fetch. */
  isEarly: boolean;
  errors: { code: string; made: ErrorMadeAt | null; slackMs: number } | null;
}

type Event =
  | { kind: 'merge'; change: SymbolicConfig }
  | { kind: 'fetch' }
  | { kind: 'report'; draw: ReportDraw; variant: number }
  | { kind: 'repeat report' }
  | { kind: 'withdraw'; keys: ConfigurationKey[] }
  | { kind: 'replace hardware' };

export type TimedEvent = { afterSeconds: number; event: Event };

const valuesOf = (value: fc.Arbitrary<ReportedValue>) =>
  fc.record(
    Object.fromEntries(CONFIGURATION_KEYS.map((key) => [key, value])) as Record<
      ConfigurationKey,
      fc.Arbitrary<ReportedValue>
    >,
  );
const madeAts: fc.Arbitrary<MadeAt> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<MadeAt>('now') },
  { weight: 3, arbitrary: fc.constantFrom<MadeAt>('at the fetch', 'before the fetch', 'long ago', 'ahead') },
);
const reportDraws: fc.Arbitrary<ReportDraw> = fc.record({
  values: fc.oneof(
    { weight: 4, arbitrary: valuesOf(fc.constant<ReportedValue>('as pending')) },
    { weight: 3, arbitrary: valuesOf(fc.constant<ReportedValue>('as reported')) },
    { weight: 3, arbitrary: valuesOf(fc.constantFrom<ReportedValue>('absent', 'as pending')) },
    { weight: 2, arbitrary: valuesOf(fc.constantFrom<ReportedValue>('absent', 'as reported', 'otherwise')) },
    {
      weight: 2,
      arbitrary: valuesOf(fc.constantFrom<ReportedValue>('absent', 'as pending', 'as reported', 'otherwise')),
    },
  ),
  made: madeAts,
  isEarly: fc.nat(7).map((draw) => draw === 0),
  errors: fc.option(
    fc.record({
      code: fc.constantFrom('7', '8'),
      made: fc.option(
        fc.oneof(madeAts, fc.constantFrom<ErrorMadeAt>('60 s before the fetch', '61 s before the fetch')),
      ),
      slackMs: fc.constantFrom(0, COAP_SLACK_MS),
    }),
    { freq: 6 },
  ),
});
const changes: fc.Arbitrary<SymbolicConfig> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...CONFIGURATION_KEYS), fc.constantFrom(...SYMBOLS)), {
    selector: ([key]) => key,
    minLength: 1,
  })
  .map((entries) => Object.fromEntries(entries));
const events: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: changes.map((change) => ({ kind: 'merge', change }) as const) },
  { weight: 6, arbitrary: fc.constant({ kind: 'fetch' } as const) },
  {
    weight: 10,
    arbitrary: fc.record({ kind: fc.constant('report' as const), draw: reportDraws, variant: fc.nat(5) }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'repeat report' } as const) },
  {
    weight: 2,
    arbitrary: fc
      .subarray([...CONFIGURATION_KEYS], { minLength: 1 })
      .map((keys) => ({ kind: 'withdraw', keys }) as const),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'replace hardware' } as const) },
);
export const scenarios = fc.array(fc.record({ afterSeconds: fc.nat(90), event: events }), {
  minLength: 1,
  maxLength: 40,
  size: 'max',
});

const OTHER: Record<ConfigSymbol, ConfigSymbol> = { a: 'b', b: 'c', c: 'a' };

function symbolFor(
  value: ReportedValue,
  pending: ConfigSymbol | undefined,
  reported: ConfigSymbol | undefined,
) {
  if (value === 'absent') return undefined;
  if (value === 'as pending') return pending ?? reported ?? 'a';
  if (value === 'as reported') return reported ?? 'b';
  return OTHER[pending ?? reported ?? 'c'];
}

/** The report that a device in this state of the model would send. */
export function toModelReport(
  { values, made, isEarly, errors }: ReportDraw,
  device: ReferenceDevice,
  nowMs: number,
): ModelReport & { config: SymbolicConfig } {
  const fetchMs = device.fetchedMs ?? nowMs;
  const timesMs: Record<ErrorMadeAt, number> = {
    now: nowMs,
    'at the fetch': fetchMs,
    'before the fetch': fetchMs - 1,
    'long ago': START_MS - 86_400_000,
    ahead: nowMs + 3_600_000,
    '60 s before the fetch': fetchMs - 60_000,
    '61 s before the fetch': fetchMs - 60_001,
  };
  const config: SymbolicConfig = {};
  for (const key of CONFIGURATION_KEYS) {
    const [pending, reported] = [device.change[key], device.reported?.[key]] as ConfigSymbol[];
    const symbol = symbolFor(values[key], pending, reported);
    if (symbol !== undefined) config[key] = symbol;
  }
  return {
    config,
    receivedMs: isEarly ? fetchMs - 1 : nowMs,
    madeMs: timesMs[made],
    errors: errors && {
      code: errors.code,
      atMs: errors.made && timesMs[errors.made],
      slackMs: errors.slackMs,
    },
  };
}
