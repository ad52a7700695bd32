/** The alerts of a record, as paragraphs. */
import { ALERT_NAMES } from '../alerts/alert.ts';
import { channelText, type Layout } from '../devices/device-capabilities.ts';
import type { ListedAlert, RecordedAlerts } from './record.repository.ts';
import { boundsText, clockOf, notListed } from './record-text.ts';

/** Oldest first, each with its acknowledgements and comments. */
export function alertParagraphs(
  { asset, listed, alertCount, furtherComments }: Omit<RecordedAlerts, 'alerts'> & { asset: Layout },
  timezone: string,
): string[] {
  if (listed.length === 0) return ['No alerts in this time.'];
  const timeOf = clockOf(timezone);
  const left = alertCount - listed.length;
  const paragraphs = listed
    .toSorted((a, b) => a.startedAt.getTime() - b.startedAt.getTime())
    .flatMap((alert) => [
      `${spanText(alert, timeOf)}: ${ALERT_NAMES[alert.type]}, ${alert.severity}${detailsText(alert, asset)}`,
      ...handlingTexts(alert, timeOf),
    ]);
  return [
    ...(left > 0 ? [notListed(left, 'earlier alert')] : []),
    ...(furtherComments > 0 ? [notListed(furtherComments, 'earlier comment')] : []),
    ...paragraphs,
  ];
}

/** The whole alert, also where it reaches beyond the span of the record. */
const spanText = ({ startedAt, endedAt }: ListedAlert, timeOf: (atMs: number) => string): string =>
  `${timeOf(startedAt.getTime())} to ${endedAt === null ? 'now, still open' : timeOf(endedAt.getTime())}`;

function detailsText({ details, extreme }: ListedAlert, layout: Layout): string {
  if ('value' in details) {
    const farthest = extreme === null ? '' : `, farthest ${extreme.value} °C`;
    return `, ${channelText(details.channel, layout)}: ${details.value} °C at first${farthest}, bounds ${boundsText(details.bounds)}`;
  }
  return 'channel' in details ? `, ${channelText(details.channel, layout)}: error ${details.error}` : '';
}

/** Letters with their accents, and emoji of several parts, which stay whole. */
const LETTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });
const WORD_MAX = 60;

/** Breaks long words: the time that the document takes to divide one grows with the square of its length. */
const toLine = (comment: string): string =>
  comment
    .replace(/\s+/g, ' ')
    .replace(/\S{61,}/gu, divide)
    // A letter may have any number of accents.
    .replace(/\S{60}(?=\S)/gu, '$& ');

function divide(word: string): string {
  let parts = '';
  let length = 0;
  for (const { segment } of LETTERS.segment(word)) {
    const codePoints = [...segment].length;
    if (length > 0 && length + codePoints > WORD_MAX) {
      parts += ' ';
      length = 0;
    }
    parts += segment;
    length += codePoints;
  }
  return parts;
}

function handlingTexts({ actions, late }: ListedAlert, timeOf: (atMs: number) => string): string[] {
  const texts = actions.map(({ at, action, by, comment }) => {
    const author = `${by?.name ?? 'the service'}, ${timeOf(at.getTime())}`;
    return action === 'commented'
      ? `    Comment by ${author}: ${toLine(comment ?? '')}`
      : `    Acknowledged by ${author}`;
  });
  if (late) return ['    Found in late data: it was over by then', ...texts];
  const isAcknowledged = actions.some(({ action }) => action === 'acknowledged');
  return isAcknowledged ? texts : ['    Not acknowledged', ...texts];
}
