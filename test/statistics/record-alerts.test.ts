/** The comments on alerts in records for auditors. */
import assert from 'node:assert/strict';
import { alertParagraphs } from '../../src/statistics/record-alerts.ts';

describe('A comment in a record', () => {
  /** The words of the comment as they are drawn. */
  function wordsOf(comment: string): string[] {
    const at = new Date(Date.UTC(2026, 2, 2));
    const alert = {
      ...{ id: '', type: 'low_battery', severity: 'warning', details: {}, extreme: null, late: false },
      ...{ from: at.getTime(), to: at.getTime(), startedAt: at, endedAt: at },
      actions: [{ at, action: 'commented', by: null, comment }],
    } as const;
    const record = { listed: [alert], alertCount: 1, furtherComments: 0 };
    const asset = { model: null, channelTypes: null };
    const paragraph = alertParagraphs({ ...record, asset } as never, 'UTC').at(-1) ?? '';
    return paragraph.slice(paragraph.indexOf('00:00: ') + '00:00: '.length).split(' ');
  }

  it('divides words after 60 letters, but no letter from its accent, and no emoji', () => {
    assert.deepEqual(wordsOf(`Door\n${'x'.repeat(130)}`), ['Door', 60, 60, 10].map(xs));
    const accented = 'e\u0301';
    assert.deepEqual(wordsOf(`x${accented.repeat(50)}`), [`x${accented.repeat(29)}`, accented.repeat(21)]);
    const family = '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}';
    assert.deepEqual(wordsOf(xs(58) + family), [xs(58), family]);
  });

  it('divides a letter that has more than 59 accents', () => {
    const lengths = wordsOf(`e${'\u0301'.repeat(129)}`).map((word) => word.length);
    assert.deepEqual(lengths, [60, 60, 10]);
  });

  const xs = (word: string | number): string => (typeof word === 'string' ? word : 'x'.repeat(word));
});
