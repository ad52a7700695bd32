/**
 * Tests wait for events. A wait for the real clock makes all runs slower, and is too short on a busy machine.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { ROOT } from '../../dev/source/imports.ts';

const LONG_MS = 100;

/** Longer waits, by file, with the reason why there is no event to wait for. */
const LONG_WAITS: Record<string, { count: number; reason: string }> = {
  'db/citus-node.test.ts': {
    count: 3,
    reason: 'a node of Citus is away for a time, which its clients notice late',
  },
  'db/lease.test.ts': {
    count: 1,
    reason: 'a lease that is renewed outlives its time on the clock of the database',
  },
  'db/observed.test.ts': { count: 1, reason: 'the statement is ended by its time-out, not waited for' },
  'dev/simulator/fleet.test.ts': { count: 1, reason: 'nothing is sent after a stop' },
  'gateway/made-up-tokens.test.ts': { count: 1, reason: 'datagrams of a flood are answered or lost' },
  'temporal/connection.test.ts': { count: 1, reason: 'no retry of the client is left behind' },
};

const LONG_WAITS_MAX = 10;

describe('Tests', () => {
  const files = readdirSync(`${ROOT}test`, { recursive: true, encoding: 'utf8' }).filter(
    (path) => (path.endsWith('.test.ts') && path !== 'house/waits.test.ts') || path.endsWith('harness.ts'),
  );

  it('waits for the real clock for at most 100 ms, except where a reason is listed', () => {
    const found = files.map(
      (path) => [path, longWaits(readFileSync(`${ROOT}test/${path}`, 'utf8'))] as const,
    );
    assert.deepEqual(
      Object.fromEntries(found.filter(([, count]) => count > 0)),
      Object.fromEntries(Object.entries(LONG_WAITS).map(([path, { count }]) => [path, count])),
    );
  });

  it(`waits longer in at most ${LONG_WAITS_MAX} places`, () => {
    const total = Object.values(LONG_WAITS).reduce((sum, { count }) => sum + count, 0);
    assert.ok(total <= LONG_WAITS_MAX, `${total} long waits`);
  });

  it('finds waits in each form that is used', () => {
    const text = `const PAUSE_MS = 1_000;
      await sleep(PAUSE_MS / 4); await delay(2 * PAUSE_MS); setTimeout(() => done(), 101);
      await query(sql, 'select pg_sleep(0.2)'); await sleep(100); const pause = (ms) => setTimeout(resolve, ms);`;
    assert.equal(longWaits(text), 4);
  });
});

const CALL = /\b(delay|sleep|pause|pg_sleep|setTimeout)\(/g;

/**
 * The number of calls with a longer wait, by constants of the same file. Waits given by parameters are not
 * counted.
 */
function longWaits(text: string): number {
  const constants = new Map(
    [...text.matchAll(/const (\w+)(?:: number)? = ([\d_.]+)/g)].map(([, name, value]) => [name, value]),
  );
  return [...text.matchAll(CALL)].filter((call) => {
    const name = call[1] as string;
    const given = argumentsAt(text, call.index + call[0].length);
    const wait = name === 'setTimeout' ? given[1] : given[0];
    const ms = evaluated(wait ?? '', constants) * (name === 'pg_sleep' ? 1_000 : 1);
    return ms > LONG_MS;
  }).length;
}

/** The arguments of a call, without parsing nested ones. */
function argumentsAt(text: string, start: number): string[] {
  const found = [''];
  for (let depth = 0, at = start; at < text.length; at++) {
    const char = text[at] as string;
    if (depth === 0 && char === ')') break;
    if (depth === 0 && char === ',') found.push('');
    else found[found.length - 1] += char;
    if ('([{'.includes(char)) depth++;
    if (')]}'.includes(char)) depth--;
  }
  return found.map((each) => each.trim());
}

/** A product, quotient or sum of numbers and constants; NaN for anything else. */
function evaluated(expression: string, constants: Map<string | undefined, string | undefined>): number {
  const [, left, operator, right] = /^([\w.]+)(?:\s*([*/+])\s*([\w.]+))?$/.exec(expression) ?? [];
  const number = (term = '') => Number((constants.get(term) ?? term).replaceAll('_', ''));
  if (left === undefined || left === '') return Number.NaN;
  if (operator === '*') return number(left) * number(right);
  if (operator === '/') return number(left) / number(right);
  if (operator === '+') return number(left) + number(right);
  return number(left);
}
