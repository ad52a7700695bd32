import assert from 'node:assert/strict';
import { timeOf } from '../../src/process/iso-time.ts';

describe('A time with a zone', () => {
  it('parses a time with a zone to the millisecond', () => {
    const good: Record<string, string> = {
      '2026-03-02T08:15Z': '2026-03-02T08:15:00.000Z',
      '2026-03-02T08:15:30.1239Z': '2026-03-02T08:15:30.123Z',
      '2026-03-02T00:15:30-05:30': '2026-03-02T05:45:30.000Z',
      '2024-02-29T00:00:00Z': '2024-02-29T00:00:00.000Z',
      '2000-02-29T23:59:59Z': '2000-02-29T23:59:59.000Z',
    };
    for (const [text, iso] of Object.entries(good)) assert.equal(timeOf(text)?.toISOString(), iso, text);
  });

  it('parses nothing else as a time', () => {
    const bad = [
      '',
      '2026-03-02',
      '2026-03-02T08:15:30',
      '2026-03-02 08:15:30Z',
      '2026-02-29T00:00:00Z',
      '1900-02-29T00:00:00Z',
      '2026-04-31T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-00-01T00:00:00Z',
      '2026-01-00T00:00:00Z',
      '2026-01-01T24:00:00Z',
      '2026-01-01T00:60:00Z',
      '2026-01-01T00:00:60Z',
      '2026-01-01T00:00:00+24:00',
      '2026-01-01T00:00:00z',
      '1772439330',
      '0000-06-01T00:00:00Z',
      '0001-01-01T00:00:00+00:01',
      '9999-12-31T23:59:59-00:01',
      '+002026-01-01T00:00:00Z',
      '2026-01-01T00:00:00Z\n',
    ];
    for (const text of bad) assert.equal(timeOf(text), null, text);
  });
});
