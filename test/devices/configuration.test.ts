/**
 * How configurations merge, compare and are named: properties over any configuration, compared with
 * `meaning`, a second definition (sets as sorted texts, DISABLED entries removed from the end one by one).
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type AlarmRule,
  type Calendar,
  CONFIGURATION_KEYS,
  type ConfigurationKey,
  canonicalText,
  configurationId,
  contradictions,
  type DeviceConfiguration,
  DISABLED_CALENDAR,
  DISABLED_RULE,
  includes,
  keysOf,
  merged,
  without,
} from '../../src/devices/configuration.ts';

const ACTIONS = ['TRIGGER_TRANSMISSION', 'NO_ACTION', 'TRIGGER_TRANSMISSION_WITH_ACK'] as const;
const positions = (count: number, minLength = 0) =>
  fc.uniqueArray(fc.nat(count - 1), { minLength, maxLength: 5 });
const rules: fc.Arbitrary<AlarmRule> = fc.oneof(
  fc.record({
    condition: fc.constantFrom('HIGH_THRESHOLD', 'LOW_THRESHOLD'),
    slotNumbers: positions(6, 1),
    alarmRuleType: fc.constant('TEMPERATURE'),
    threshold: fc.integer({ min: -50, max: 50 }).map((tenths) => tenths / 10),
    hysteresis: fc.nat(30).map((tenths) => tenths / 10),
    mode: fc.constant('CONSECUTIVE_SAMPLES'),
    samples: fc.integer({ min: 1, max: 3 }),
    action: fc.constantFrom(...ACTIONS),
  }),
  fc.record({
    condition: fc.constant('LOGIC_OPERATOR'),
    operator: fc.constantFrom('AND', 'OR'),
    rules: positions(16),
    negatedRules: positions(16),
    delaySeconds: fc.nat(3),
    returnDelaySeconds: fc.option(fc.nat(3)),
    action: fc.constantFrom(...ACTIONS),
  }),
  fc.constant(DISABLED_RULE),
) as fc.Arbitrary<AlarmRule>;
const calendars: fc.Arbitrary<Calendar> = fc.oneof(
  fc.record({
    type: fc.constant('WEEK' as const),
    enableRules: positions(16),
    days: positions(7, 1),
    fromTime: fc.nat(3),
    toTime: fc.nat(3),
    timezone: fc.constantFrom(-60, 0, 60),
  }),
  fc.constant(DISABLED_CALENDAR),
);
/** Small values, so that two of them are often partly equal. */
const configurations: fc.Arbitrary<DeviceConfiguration> = fc.record(
  {
    measurementPeriodBase: fc.integer({ min: 1, max: 3 }),
    measurementPeriodFactor: fc.integer({ min: 1, max: 3 }),
    transmissionInterval: fc.integer({ min: 60, max: 62 }),
    alarmRules: fc.array(rules, { maxLength: 5 }),
    calendars: fc.array(calendars, { maxLength: 3 }),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const keySets = fc.subarray([...CONFIGURATION_KEYS]);
const organizations = fc.uuid();

/** An order for each list, from one number. */
function shuffler(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return <T>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, rank: next() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
}

/** The same configuration in another notation: keys and sets in another order, lists padded with DISABLED. */
function rewritten(config: DeviceConfiguration, { seed, fill }: { seed: number; fill: number }) {
  const shuffled = shuffler(seed);
  const entry = <T extends object>(value: T): T =>
    Object.fromEntries(
      shuffled(Object.entries(value)).map(([key, part]) => [
        key,
        Array.isArray(part) ? shuffled(part) : part,
      ]),
    ) as T;
  const { alarmRules, calendars: ownCalendars } = config;
  const lists = {
    ...(alarmRules && { alarmRules: [...alarmRules.map(entry), ...Array(fill).fill(DISABLED_RULE)] }),
    ...(ownCalendars && { calendars: [...ownCalendars.map(entry), ...Array(fill).fill(DISABLED_CALENDAR)] }),
  };
  return Object.fromEntries(shuffled(Object.entries({ ...config, ...lists }))) as DeviceConfiguration;
}

const rewritings = fc.record({ seed: fc.integer(), fill: fc.nat(4) });
const sameFill = fc.record({ seed: fc.integer(), fill: fc.constant(0) });

/** One setting as text; `isExact` keeps DISABLED entries at the end. */
function meaning(value: unknown, isExact = false): string {
  if (!Array.isArray(value)) return String(value);
  const entries = value.map((entry: object) =>
    Object.entries(entry)
      .map(([name, part]) => `${name}=${Array.isArray(part) ? `{${[...part].sort().join('|')}}` : part}`)
      .sort()
      .join(' '),
  );
  const isFill = (text: string | undefined) => text?.includes('=DISABLED') ?? false;
  while (!isExact && isFill(entries.at(-1))) entries.pop();
  return `[${entries.join(', ')}]`;
}

const meanings = (config: DeviceConfiguration, isExact = false) =>
  Object.fromEntries(keysOf(config).map((key) => [key, meaning(config[key], isExact)]));

const sorted = (keys: Iterable<ConfigurationKey>) => [...keys].sort();

/** Another configuration that is often nearly or wholly the same. */
const pairs: fc.Arbitrary<[DeviceConfiguration, DeviceConfiguration]> = fc.oneof(
  fc.tuple(configurations, configurations),
  fc
    .tuple(configurations, rewritings)
    .map(([config, spelling]) => [config, rewritten(config, spelling)] as const),
  fc
    .tuple(configurations, configurations, keySets, rewritings)
    .map(([config, other, keys, spelling]) => [
      config,
      rewritten(merged(config, without(other, keys) ?? {}), spelling),
    ]),
) as fc.Arbitrary<[DeviceConfiguration, DeviceConfiguration]>;

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

const threshold = (slotNumbers: number[]): AlarmRule => ({
  condition: 'HIGH_THRESHOLD',
  slotNumbers,
  alarmRuleType: 'TEMPERATURE',
  threshold: 8,
  hysteresis: 0.5,
  mode: 'CONSECUTIVE_SAMPLES',
  samples: 1,
  action: 'NO_ACTION',
});

describe('Merging a change into a configuration', () => {
  it('merges a change by setting its keys and keeping the others', () => {
    fc.assert(
      fc.property(configurations, configurations, (base, change) => {
        const result = merged(frozen(base), frozen(change));
        for (const key of CONFIGURATION_KEYS) assert.deepEqual(result[key], change[key] ?? base[key]);
      }),
    );
  });

  it('merges lists whole: no entry of the old list stays', () => {
    const base = { alarmRules: [threshold([0]), threshold([1]), threshold([2])] };
    assert.deepEqual(merged(base, { alarmRules: [threshold([3])] }), { alarmRules: [threshold([3])] });
    assert.deepEqual(merged(base, { alarmRules: [] }), { alarmRules: [] });
  });

  it('merges a change into nothing as the change, and an empty change as the base', () => {
    fc.assert(
      fc.property(configurations, (config) => {
        assert.deepEqual(merged(null, config), config);
        assert.deepEqual(merged(config, {}), config);
      }),
    );
  });
});

describe('Taking keys out of a configuration', () => {
  it('takes keys out and keeps all others, and gives null when none is left', () => {
    fc.assert(
      fc.property(configurations, keySets, (config, keys) => {
        const rest = without(frozen(config), frozen(keys));
        const left = keysOf(config).filter((key) => !keys.includes(key));
        assert.equal(rest === null, left.length === 0);
        assert.deepEqual(rest ?? {}, Object.fromEntries(left.map((key) => [key, config[key]])));
      }),
    );
  });
});

describe('Comparing configurations', () => {
  it('compares without the order of keys and sets and without DISABLED entries at the end', () => {
    fc.assert(
      fc.property(configurations, rewritings, rewritings, (config, one, other) => {
        const [a, b] = [rewritten(config, one), rewritten(config, other)];
        assert.deepEqual(contradictions(a, b), []);
        assert.equal(includes(a, b), true);
        assert.equal(includes(b, a), true);
      }),
    );
  });

  it('finds exactly the keys that both have with different meanings as contradictions', () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const [ours, theirs] = [meanings(a), meanings(b)];
        const differing = CONFIGURATION_KEYS.filter(
          (key) => key in ours && key in theirs && ours[key] !== theirs[key],
        );
        assert.deepEqual(sorted(contradictions(frozen(a), frozen(b))), sorted(differing));
      }),
      { numRuns: 1_000 },
    );
  });

  it('includes a part when each of its keys is present with the same meaning', () => {
    fc.assert(
      fc.property(pairs, ([config, part]) => {
        const [ours, theirs] = [meanings(config), meanings(part)];
        const expected = Object.entries(theirs).every(([key, text]) => ours[key] === text);
        assert.equal(includes(frozen(config), frozen(part)), expected);
        if (expected) assert.deepEqual(contradictions(config, part), []);
      }),
      { numRuns: 1_000 },
    );
  });

  it('compares positions: a DISABLED entry before others counts', () => {
    const rule = threshold([0]);
    const differ = (a: AlarmRule[], b: AlarmRule[]) =>
      contradictions({ alarmRules: a }, { alarmRules: b }).length > 0;
    assert.equal(differ([rule], [DISABLED_RULE, rule]), true);
    assert.equal(differ([rule, threshold([1])], [threshold([1]), rule]), true);
    assert.equal(differ([rule], [rule, DISABLED_RULE]), false);
    assert.equal(differ([], [DISABLED_RULE]), false);
    assert.equal(differ([], [rule]), true);
  });

  it('compares the size of sets, and sorts numbers as numbers', () => {
    const differ = (a: number[], b: number[]) =>
      contradictions({ alarmRules: [threshold(a)] }, { alarmRules: [threshold(b)] }).length > 0;
    assert.equal(differ([0, 1], [0]), true);
    assert.equal(differ([2, 10], [10, 2]), false);
    assert.equal(differ([1, 0], [10]), true);
  });

  it('distinguishes a return without action from one without delay', () => {
    const logic = (returnDelaySeconds: number | null): AlarmRule => ({
      condition: 'LOGIC_OPERATOR',
      operator: 'OR',
      rules: [0],
      negatedRules: [],
      delaySeconds: 0,
      returnDelaySeconds,
      action: 'TRIGGER_TRANSMISSION',
    });
    assert.deepEqual(contradictions({ alarmRules: [logic(0)] }, { alarmRules: [logic(null)] }), [
      'alarmRules',
    ]);
  });
});

describe('The canonical text of a configuration', () => {
  it('gives one canonical text for all ways to write a configuration', () => {
    fc.assert(
      fc.property(configurations, sameFill, (config, spelling) => {
        assert.equal(canonicalText(rewritten(config, spelling)), canonicalText(config));
      }),
    );
  });

  it('keeps the whole configuration in its canonical text', () => {
    fc.assert(
      fc.property(configurations, (config) => {
        const text = canonicalText(frozen(config));
        const read = JSON.parse(text) as DeviceConfiguration;
        assert.deepEqual(meanings(read, true), meanings(config, true));
        assert.equal(canonicalText(read), text);
      }),
    );
  });
});

describe('The id of a configuration', () => {
  it('makes the id of a configuration a UUID of version 8', () => {
    fc.assert(
      fc.property(organizations, configurations, (organizationId, config) => {
        assert.match(
          configurationId(organizationId, config),
          /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
      }),
    );
  });

  it('gives another id for other content, including DISABLED entries at the end', () => {
    fc.assert(
      fc.property(organizations, pairs, (organizationId, [a, b]) => {
        const isSame = JSON.stringify(meanings(a, true)) === JSON.stringify(meanings(b, true));
        assert.equal(configurationId(organizationId, a) === configurationId(organizationId, b), isSame);
      }),
      { numRuns: 1_000 },
    );
  });

  it('gives another id in another organization', () => {
    fc.assert(
      fc.property(organizations, organizations, configurations, (one, other, config) => {
        fc.pre(one !== other);
        assert.notEqual(configurationId(one, config), configurationId(other, config));
      }),
    );
  });

  it('never changes the ids of configurations, by which rows are stored', () => {
    const config = { transmissionInterval: 3_600, alarmRules: [threshold([2, 0]), DISABLED_RULE] };
    assert.equal(
      configurationId('0198c0de-0000-7000-8000-000000000001', config),
      '2e8fe8eb-5962-8f95-aa5d-a192fae9bd97',
    );
  });
});
