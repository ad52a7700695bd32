/** How keys and fingers move a span of time, and how bounds become steps. */
import assert from 'node:assert/strict';

interface Span {
  from: number;
  to: number;
}

interface Gestures {
  zoomed(span: Span, factor: number, at?: number): Span;
  limited(span: Span, nowS: number): Span;
  pinched(points: [[number, number], [number, number]]): Span;
  actionOf(event: object, span: Span): Record<string, unknown> | undefined;
}

interface Marks {
  stepsOf(bounds: object[], name: string): Array<Array<[number, number]>>;
}

const { zoomed, limited, pinched, actionOf }: Gestures = await import(
  new URL('../../src/operator/static/curve-gestures.mjs', import.meta.url).href
);
const { stepsOf }: Marks = await import(
  new URL('../../src/operator/static/curve-marks.mjs', import.meta.url).href
);
const DAY = 86_400;
const SPAN = { from: 1_000_000, to: 1_000_000 + DAY };

describe('The gestures of a curve', () => {
  it('keeps the time under the pointer in its place while it zooms', () => {
    const at = SPAN.from + DAY / 4;
    const { from, to } = zoomed(SPAN, 0.5, at);
    assert.equal(to - from, DAY / 2);
    assert.equal((at - from) / (to - from), 1 / 4);
  });

  it('keeps both times under their fingers', () => {
    const { from, to } = pinched([
      [SPAN.from + DAY / 4, 0.1],
      [SPAN.from + DAY / 2, 0.9],
    ]);
    const shareOf = (at: number) => Math.round(((at - from) / (to - from)) * 1e6) / 1e6;
    assert.deepEqual([shareOf(SPAN.from + DAY / 4), shareOf(SPAN.from + DAY / 2)], [0.1, 0.9]);
  });

  it('keeps the length of a span that is moved beyond now, and bounds its length', () => {
    assert.deepEqual(limited({ from: 900, to: 1_100 }, 1_000), { from: 800, to: 1_000 });
    const short = limited({ from: 500, to: 501 }, 10_000);
    assert.equal(short.to - short.from, 60);
    const long = limited({ from: 0, to: 4_000 * DAY }, 4_000 * DAY);
    assert.equal(Math.round((long.to - long.from) / DAY), 400);
  });

  it('moves the span by a quarter at an arrow key', () => {
    const { from, to } = SPAN;
    const later = { from: from + DAY / 4, to: to + DAY / 4 };
    assert.deepEqual(actionOf({ key: 'ArrowRight' }, SPAN), { move: later });
  });

  it('leaves keys of the browser and of other uses alone', () => {
    const keys = [
      { key: '+', ctrlKey: true },
      { key: 'ArrowLeft', altKey: true },
      { key: 'Tab' },
      { key: 'a' },
    ];
    for (const event of keys) assert.equal(actionOf(event, SPAN), undefined);
    assert.deepEqual(actionOf({ key: 'ArrowLeft', shiftKey: true }, SPAN), { read: -1 });
  });
});

describe('The bounds in the picture', () => {
  it('joins levels that follow at once to steps, and leaves a time without a bound open', () => {
    const bounds = [
      { from: 30, to: 40, lowC: 1, highC: null },
      { from: 10, to: 20, lowC: 1, highC: 6 },
      { from: 0, to: 10, lowC: 2, highC: 8 },
    ];
    assert.deepEqual(stepsOf(bounds, 'highC'), [
      [
        [0, 8],
        [10, 8],
        [10, 6],
        [20, 6],
      ],
    ]);
    assert.deepEqual(
      stepsOf(bounds, 'lowC').map((step) => step.length),
      [4, 2],
    );
  });

  it('keeps the bounds of two alerts apart where settings follow each other', () => {
    const bounds = [0, 10].flatMap((from) =>
      [8, 10].map((highC) => ({ from, to: from + 10, lowC: null, highC })),
    );
    assert.deepEqual(
      stepsOf(bounds, 'highC'),
      [8, 10].map((value) => [0, 10, 10, 20].map((at) => [at, value])),
    );
  });
});
