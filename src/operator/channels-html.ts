import { ALERT_TYPES } from '../alerts/alert.ts';
import { labelOfChannel } from '../notifications/notification-channel.ts';
import type { Answers, ChannelView } from './answers.ts';
import type { Option } from './form-layout.ts';
import type { FormLink } from './form-links.ts';
import { type Content, type Html, html } from './html.ts';
import { ACTION, badge, button, type KeyedRow, live, nextPage, table, time, toWords } from './parts.ts';
import { inGroups } from './shown-channels.ts';

export interface ChannelsPage {
  channels: Answers['listNotificationChannels'];
  groups: readonly Option[];
  link: FormLink;
  mayChange: boolean;
}

export const channelsHtml = ({ channels, ...options }: ChannelsPage): Html => html`
<h1>Notification channels</h1>
<p><a href="/operator/escalations">Escalations</a>: who is notified next when nobody acknowledges an alert.</p>
${live(
  'channels',
  html`${table({
    caption: 'Notification channels',
    head: ['Channel', 'Type', 'Alerts', 'When', 'Status', 'Last sent', ACTION],
    rows: channels.items.map((channel) => channelRow(channel, options)),
    empty: 'No channel is notified yet.',
  })}${nextPage('/operator/channels', new URLSearchParams(), channels.nextCursor)}`,
)}
<div class="actions">${options.link('createNotificationChannel', {}, { tone: 'main' })}</div>`;

const channelRow = (
  channel: ChannelView,
  { groups, link, mayChange }: Omit<ChannelsPage, 'channels'>,
): KeyedRow => ({
  key: channel.id,
  cells: [
    html`<span class="name">${labelOfChannel(channel)}</span>${channel.name !== null && html` <span class="quiet">${channel.target}</span>`}`,
    channel.type,
    `${channel.alertTypes.length === ALERT_TYPES.length ? 'all' : channel.alertTypes.map(toWords).join(', ')}${inGroups(channel.groupIds, groups)}`,
    whenOf(channel),
    html`${badge(channel.status)}${channel.lastError && html` <span class="problem">${channel.lastError}</span>`}`,
    channel.lastSentAt ? time(channel.lastSentAt) : html`<span class="quiet">no alert yet</span>`,
    html`<div class="row">${mayChange && channel.status !== 'unconfirmed' && button({ action: `/operator/channels/${channel.id}/test`, label: 'Test', about: labelOfChannel(channel) })}${actionsOf(channel, link)}</div>`,
  ],
});

function actionsOf({ id: channelId, status, ...channel }: ChannelView, link: FormLink): Content {
  const params = { channelId };
  const about = labelOfChannel(channel);
  return [
    status === 'unconfirmed' && link('confirmNotificationChannelAgain', params, { about }),
    link('updateNotificationChannel', params, { label: 'Edit', about }),
    link('deleteNotificationChannel', params, { label: 'Delete', about }),
  ];
}

function whenOf({ delayMinutes, reminderMinutes, quietHours }: ChannelView): string {
  return [
    delayMinutes === 0 ? 'at once' : `after ${delayMinutes} min`,
    reminderMinutes !== null && `again every ${reminderMinutes} min`,
    quietHours && `quiet from ${quietHours.from} to ${quietHours.to} (${quietHours.timezone})`,
  ]
    .filter(Boolean)
    .join(', ');
}
