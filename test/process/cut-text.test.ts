import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cutText } from '../../src/process/cut-text.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 12 });
const halves = fc.array(fc.constantFrom('\ud83e', '\uddca', 'x', '\u{1F9CA}'), { maxLength: 12 });
const text = fc.oneof(
  anyText,
  halves.map((parts) => parts.join('')),
);

describe('A text that is cut', () => {
  it('keeps a cut text well formed, short enough, and equal to the beginning of the whole', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 12 }), fc.constantFrom('', '…'), (whole, max, ending) => {
        const cut = cutText(whole, max, ending);
        assert.ok(cut.isWellFormed());
        assert.ok(cut.length <= max && cut.length >= Math.min(whole.length, max) - 1);
        const kept = whole.length > max ? cut.slice(0, cut.length - ending.length) : cut;
        assert.ok(whole.toWellFormed().startsWith(kept));
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps or leaves out a character of two code units whole', () => {
    assert.equal(cutText('ab\u{1F9CA}c', 4), 'ab\u{1F9CA}');
    assert.equal(cutText('ab\u{1F9CA}c', 4, '…'), 'ab…');
    assert.equal(cutText('ab\u{1F9CA}c', 5, '…'), 'ab\u{1F9CA}c');
  });
});
