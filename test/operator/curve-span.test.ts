/** The span of a curve in the address. */
import assert from 'node:assert/strict';
import { readSpan, resolutionFor, spanQuery } from '../../src/operator/curve-span.ts';

const NOW = new Date('2026-03-10T12:00:00.000Z');
const read = (query: string) => readSpan(new URLSearchParams(query), NOW);
const hours = (count: number) => ({ from: new Date(NOW.getTime() - count * 3_600_000), to: NOW });

describe('The span of a curve', () => {
  it('reads a named span until now, and a day for any other name', () => {
    assert.deepEqual(read('span=week'), {
      name: 'week',
      from: new Date('2026-03-03T12:00:00.000Z'),
      to: NOW,
      fault: null,
    });
    for (const query of ['', 'span=', 'span=toString', 'span=decade'])
      assert.equal(read(query).name, 'day', query);
  });

  it('reads two times, also without a zone as a form sends them, and puts them back into the address', () => {
    const { name, ...span } = read('span=week&from=2026-03-02T08:15&to=2026-03-02T09:15:30.000Z');
    assert.equal(name, null);
    assert.deepEqual(spanQuery({ name, ...span }), {
      from: '2026-03-02T08:15:00.000Z',
      to: '2026-03-02T09:15:30.000Z',
    });
  });

  it('says why two times cannot be shown, and shows the named span meanwhile', () => {
    const faults = {
      'from=2026-03-02T08:15': /both/,
      'from=yesterday&to=2026-03-02T08:15': /both/,
      'from=2026-03-02T08:15&to=2026-03-02T08:15': /after the beginning/,
      'from=2024-01-01T00:00&to=2026-03-02T08:15': /At most 400 days/,
    };
    for (const [query, fault] of Object.entries(faults)) {
      const span = read(`span=month&${query}`);
      assert.equal(span.name, 'month', query);
      assert.match(span.fault ?? '', fault);
    }
  });

  it('chooses single readings for some hours, and at most 750 points of a channel beyond', () => {
    const chosen = [1, 3, 3.1, 24, 62, 63, 168, 720, 751, 8_760, 9_600].map((each) =>
      resolutionFor(hours(each)),
    );
    assert.deepEqual(chosen, [null, null, '5m', '5m', '5m', '1h', '1h', '1h', '1d', '1d', '1d']);
  });
});
