/** Any course of what can happen to a device, as fast-check makes it, and what a device says in it. */
import fc from 'fast-check';
import { CONFIGURATION_KEYS, type ConfigurationKey } from '../../src/devices/configuration.ts';
import { LETTERS, type Letter, type Letters } from './config-symbols.ts';
import { COAP_SLACK_MS, START_MS } from './fixtures.ts';
import type { Paper, Words } from './reference-model.ts';

type Word = 'absent' | 'as wanted' | 'as known' | 'otherwise';
type When = 'now' | 'at the fetch' | 'before the fetch' | 'long ago' | 'ahead';

interface SaidByDevice {
  words: Record<ConfigurationKey, Word>;
  made: When;
  /** It lay in a queue while the device fetched. */
  wasQueued: boolean;
  errors: { made: When | '60 s before the fetch' | '61 s before the fetch'; slackMs: number } | null;
}

type Event =
  | { does: 'merge'; change: Letters }
  | { does: 'fetch' }
  | { does: 'report'; said: SaidByDevice; spelling: number }
  | { does: 'repeat' }
  | { does: 'withdraw'; keys: ConfigurationKey[] }
  | { does: 'replace' };

export type TimedEvent = { afterSeconds: number; event: Event };

const words = (word: fc.Arbitrary<Word>) =>
  fc.record(
    Object.fromEntries(CONFIGURATION_KEYS.map((key) => [key, word])) as Record<
      ConfigurationKey,
      fc.Arbitrary<Word>
    >,
  );
const whens: fc.Arbitrary<When> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<When>('now') },
  { weight: 3, arbitrary: fc.constantFrom<When>('at the fetch', 'before the fetch', 'long ago', 'ahead') },
);
const saids: fc.Arbitrary<SaidByDevice> = fc.record({
  words: fc.oneof(
    { weight: 4, arbitrary: words(fc.constant<Word>('as wanted')) },
    { weight: 3, arbitrary: words(fc.constant<Word>('as known')) },
    { weight: 3, arbitrary: words(fc.constantFrom<Word>('absent', 'as wanted')) },
    { weight: 2, arbitrary: words(fc.constantFrom<Word>('absent', 'as known', 'otherwise')) },
    { weight: 2, arbitrary: words(fc.constantFrom<Word>('absent', 'as wanted', 'as known', 'otherwise')) },
  ),
  made: whens,
  wasQueued: fc.nat(7).map((draw) => draw === 0),
  errors: fc.option(
    fc.record({
      made: fc.oneof(whens, fc.constantFrom('60 s before the fetch', '61 s before the fetch')),
      slackMs: fc.constantFrom(0, COAP_SLACK_MS),
    }),
    { freq: 6 },
  ),
});
const changes: fc.Arbitrary<Letters> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...CONFIGURATION_KEYS), fc.constantFrom(...LETTERS)), {
    selector: ([key]) => key,
    minLength: 1,
  })
  .map((entries) => Object.fromEntries(entries));
const events: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: changes.map((change) => ({ does: 'merge', change }) as const) },
  { weight: 6, arbitrary: fc.constant({ does: 'fetch' } as const) },
  {
    weight: 10,
    arbitrary: fc.record({ does: fc.constant('report' as const), said: saids, spelling: fc.nat(5) }),
  },
  { weight: 2, arbitrary: fc.constant({ does: 'repeat' } as const) },
  {
    weight: 2,
    arbitrary: fc
      .subarray([...CONFIGURATION_KEYS], { minLength: 1 })
      .map((keys) => ({ does: 'withdraw', keys }) as const),
  },
  { weight: 1, arbitrary: fc.constant({ does: 'replace' } as const) },
);
export const stories = fc.array(fc.record({ afterSeconds: fc.nat(90), event: events }), {
  minLength: 1,
  maxLength: 40,
  size: 'max',
});

const NEXT: Record<Letter, Letter> = { a: 'b', b: 'c', c: 'a' };

function letterFor(word: Word, wanted: Letter | undefined, knownLetter: Letter | undefined) {
  if (word === 'absent') return undefined;
  if (word === 'as wanted') return wanted ?? knownLetter ?? 'a';
  if (word === 'as known') return knownLetter ?? 'b';
  return NEXT[wanted ?? knownLetter ?? 'c'];
}

/** What a device that says this would send in the present state of the paper. */
export function wordsOf(
  { words: chosen, made, wasQueued, errors }: SaidByDevice,
  paper: Paper,
  nowMs: number,
): Words {
  const fetchMs = paper.takenMs ?? nowMs;
  const msOf = (when: When | `${number} s before the fetch`) =>
    ({
      now: nowMs,
      'at the fetch': fetchMs,
      'before the fetch': fetchMs - 1,
      'long ago': START_MS - 86_400_000,
      ahead: nowMs + 3_600_000,
      '60 s before the fetch': fetchMs - 60_000,
      '61 s before the fetch': fetchMs - 60_001,
    })[when as When];
  const says: Letters = {};
  for (const key of CONFIGURATION_KEYS) {
    const letter = letterFor(chosen[key], paper.wanted[key], paper.heard?.[key]);
    if (letter !== undefined) says[key] = letter;
  }
  return {
    says,
    cameInMs: wasQueued ? fetchMs - 1 : nowMs,
    madeMs: msOf(made),
    errors: errors && { madeMs: msOf(errors.made), slackMs: errors.slackMs },
  };
}
