import type { Answers, ChannelView } from './answers.ts';
import { type Content, type Html, html } from './html.ts';
import { badge, button, nextPage, table, time, toWords } from './parts.ts';

const HEAD = [
  'Channel',
  'Type',
  'Alerts',
  'When',
  'Status',
  'Last sent',
  html`<span class="hidden">Action</span>`,
];

export const channelsHtml = (channels: Answers['listNotificationChannels'], mayChange: boolean): Html => html`
<h1>Notification channels</h1>
<p><a href="/operator/escalations">Escalations</a>: who is notified next when nobody acknowledges an alert.</p>
${table({
  caption: 'Notification channels',
  head: HEAD,
  rows: channels.items.map((channel) => channelRow(channel, mayChange)),
  empty: 'Nobody is notified yet. Channels are made with POST /notification-channels.',
})}
${nextPage('/operator/channels', new URLSearchParams(), channels.nextCursor)}`;

const channelRow = (channel: ChannelView, mayChange: boolean): Content[] => [
  html`<span class="name">${channel.target}</span>`,
  channel.type,
  channel.alertTypes.map(toWords).join(', '),
  whenOf(channel),
  html`${badge(channel.status)}${channel.lastError && html` <span class="problem">${channel.lastError}</span>`}`,
  time(channel.lastSentAt),
  mayChange && actionOf(channel),
];

const actionOf = ({ id, status, target }: ChannelView): Html =>
  status === 'unconfirmed'
    ? button({
        action: `/operator/channels/${id}/confirm-again`,
        label: 'Send the link again',
        about: target,
      })
    : button({ action: `/operator/channels/${id}/test`, label: 'Test', about: target });

function whenOf({ delayMinutes, reminderMinutes }: ChannelView): string {
  const delay = delayMinutes === 0 ? 'at once' : `after ${delayMinutes} min`;
  return reminderMinutes === null ? delay : `${delay}, again every ${reminderMinutes} min`;
}
