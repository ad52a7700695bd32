/** Statistics as the API shows them. */
import type { Span } from '../devices/settings.ts';
import type { Statistics } from './statistics.service.ts';

export type StatisticsView = ReturnType<typeof statisticsView>;

export const statisticsView = ({ channels, mutedSpans }: Pick<Statistics, 'channels' | 'mutedSpans'>) => ({
  mutedSpans: mutedSpans.map((span) => ({ ...spanView(span), reason: span.reason })),
  channels: channels.map(({ alerts, withoutBounds, gaps, expectedFrom, ...channel }) => ({
    ...channel,
    expectedFrom: new Date(expectedFrom).toISOString(),
    alerts: alerts.map((alert) => ({ ...alert, ...spanView(alert) })),
    withoutBounds: withoutBounds.map(spanView),
    gaps: gaps.map(spanView),
  })),
});

const spanView = ({ from, to }: Span) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
});
