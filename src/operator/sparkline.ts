/** A small curve without axes, as SVG that the server draws. */
import { type Html, html } from './html.ts';

export interface SparkPoint {
  at: number;
  value: number;
}

interface SparklineOptions {
  label: string;
  from: number;
  to: number;
  /** No line is drawn across a longer time without measurements. */
  gapMs: number;
}

const WIDTH = 120;
const HEIGHT = 24;
/** A line of no length, visible by its round ends, for a point between two gaps. */
const DOT = 'h0';
/** Makes a temperature that hardly moves look flat. */
const RANGE_MIN = 2;

export function sparkline(points: readonly SparkPoint[], options: SparklineOptions): Html {
  if (points.length === 0) return html`<span class="quiet">no readings</span>`;
  const { from, to, label } = options;
  const values = points.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const range = Math.max(high - low, RANGE_MIN);
  const bottom = (low + high - range) / 2;
  const x = ({ at }: SparkPoint) => round(((at - from) / (to - from)) * WIDTH);
  const y = ({ value }: SparkPoint) => round(HEIGHT - 2 - ((value - bottom) / range) * (HEIGHT - 4));
  const path = points
    .map((point, index) => {
      const begins = isAfterGap(points, index, options);
      const isLone = begins && isAfterGap(points, index + 1, options);
      return `${begins ? 'M' : 'L'}${x(point)} ${y(point)}${isLone ? DOT : ''}`;
    })
    .join('');
  return html`<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${label}"><path d="${path}"/></svg>`;
}

function isAfterGap(points: readonly SparkPoint[], index: number, { gapMs }: SparklineOptions): boolean {
  const [before, point] = [points[index - 1], points[index]];
  return before === undefined || point === undefined || point.at - before.at > gapMs;
}

const round = (value: number) => Math.round(value * 10) / 10;
