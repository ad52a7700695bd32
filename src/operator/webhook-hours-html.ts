import { type Content, type Html, html } from './html.ts';
import { facts, table, time } from './parts.ts';
import { fillHours, HOURS_SHOWN, type HourOfAttempts, summarize } from './webhook-hours.ts';

/** Success and duration of the last day. The bars are a picture of the table below them. */
export function hoursHtml(known: readonly HourOfAttempts[], now: Date): Html {
  const hours = fillHours(known, now);
  const { attempts, deliveredPercent, averageMs, maxMs } = summarize(hours);
  if (attempts === 0)
    return html`<h2>Last 24 hours</h2><p class="empty">No attempt in the last 24 hours.</p>`;
  return html`<h2>Last 24 hours</h2><section class="panel" aria-label="Last 24 hours">
${facts([
  ['Attempts', attempts.toLocaleString('en')],
  ['Delivered', `${deliveredPercent} %`],
  ['Average duration', toMs(averageMs)],
  ['Longest', toMs(maxMs)],
])}
<div class="hours">${bars(hours.map(attemptBar), 'Attempts per hour, failed ones at the top')}
${bars(hours.map(durationBar), 'Average duration per hour')}</div>
<details><summary>Numbers</summary>${hoursTable(hours)}</details></section>`;
}

const toMs = (value: number | null) => (value === null ? '–' : `${value.toLocaleString('en')} ms`);
const attemptsOf = ({ delivered, failed }: HourOfAttempts) => delivered + failed;

const HEIGHT = 40;
const WIDTH = 5;

/** Parts of one bar, from the bottom up. */
type Bar = ReadonlyArray<{ tone: string; size: number }>;

function bars(all: readonly Bar[], label: string): Html {
  const most = Math.max(...all.map((bar) => bar.reduce((sum, { size }) => sum + size, 0)));
  const rects = all.flatMap((bar, index) => {
    let top = HEIGHT;
    return bar
      .filter(({ size }) => size > 0)
      .map(({ tone, size }) => {
        const height = Math.max((size / most) * HEIGHT, 1);
        top -= height;
        return html`<rect class="${tone}" x="${index * WIDTH + 0.5}" width="${WIDTH - 1}" y="${Math.max(top, 0).toFixed(2)}" height="${height.toFixed(2)}"/>`;
      });
  });
  return html`<figure><figcaption>${label}</figcaption><svg class="hour-bars" viewBox="0 0 ${HOURS_SHOWN * WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}, of the last day">${rects}</svg></figure>`;
}

const attemptBar = ({ delivered, failed }: HourOfAttempts): Bar => [
  { tone: 'good', size: delivered },
  { tone: 'bad', size: failed },
];

const durationBar = (hour: HourOfAttempts): Bar => [
  { tone: 'info', size: attemptsOf(hour) === 0 ? 0 : hour.durationMs / attemptsOf(hour) },
];

const hoursTable = (hours: readonly HourOfAttempts[]): Html =>
  table({
    caption: 'Attempts per hour, newest first',
    head: ['Hour', 'Attempts', 'Delivered', 'Average duration', 'Longest'],
    rows: [...hours]
      .reverse()
      .filter((hour) => attemptsOf(hour) > 0)
      .map((hour): Content[] => {
        const { attempts, deliveredPercent, averageMs, maxMs } = summarize([hour]);
        return [
          time(hour.hour.toISOString()),
          attempts.toLocaleString('en'),
          `${deliveredPercent} %`,
          toMs(averageMs),
          toMs(maxMs),
        ];
      }),
    empty: 'No attempt.',
  });
