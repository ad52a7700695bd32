import { labelOfChannel } from '../notifications/notification-channel.ts';
import type { ChannelView } from './answers.ts';
import type { Values } from './form-fields.ts';
import type { FormLayout } from './form-layout.ts';

const section = 'Notifications';
const channels = () => '/operator/channels';
const escalations = () => '/operator/escalations';
const channel = {
  operation: 'getNotificationChannel',
  name: (shown: Values) => labelOfChannel(shown as ChannelView),
};
const ofChannel = { section, about: channel, back: channels };
const escalation = { operation: 'getEscalation', name: ({ name }: Values) => String(name) };
const ofEscalation = { section, about: escalation, back: escalations };
const groupIds = { label: 'Groups, none ticked: all devices', choices: 'groups', help: null } as const;
const channelLooks = {
  groupIds,
  name: { help: 'Shown in place of the address, such as who is on call.' },
  type: { help: 'Slack also for anything that takes its messages.' },
  delayMinutes: { label: 'Delay in minutes', help: 'Notify only of alerts that are still open then.' },
  reminderMinutes: {
    label: 'Remind every … minutes',
    help: 'While an alert is open and not acknowledged. Left empty, it is notified once.',
  },
  'quietHours.to': { help: 'When earlier than From, on the day after.' },
  'quietHours.timezone': { label: 'Time zone', suggestions: Intl.supportedValuesOf('timeZone') },
} as const;
const escalationLooks = {
  groupIds,
  repeatMinutes: {
    label: 'Repeat every … minutes',
    help: 'The last step, 10 times at most. Left empty, it is not repeated.',
  },
  steps: { row: 'step' },
  'steps.channelIds': { label: 'Channels', choices: 'channels' },
} as const;

export const NOTIFICATION_FORMS = {
  createNotificationChannel: {
    title: 'Create a notification channel',
    submit: 'Create the channel',
    section,
    looks: { ...channelLooks, alertTypes: { label: 'Types of alerts, none ticked: all', help: null } },
    back: channels,
    said: 'The channel is created.',
    adds: {
      said: 'Its address gets a link first: nothing else is sent to it before it is confirmed. If the mail server refuses the link, the row below says why within seconds.',
      isNeeded: ({ status }) => status === 'unconfirmed',
    },
  },
  updateNotificationChannel: {
    ...ofChannel,
    title: 'Edit the notification channel',
    submit: 'Save the channel',
    looks: channelLooks,
    changes: { operation: 'getNotificationChannel' },
    said: 'The channel is saved.',
  },
  deleteNotificationChannel: {
    ...ofChannel,
    title: 'Delete the notification channel',
    submit: 'Delete the channel',
    question: 'No message is sent to it any more.',
    isDanger: true,
    said: 'The channel is deleted.',
  },
  confirmNotificationChannelAgain: {
    ...ofChannel,
    title: 'Send the link again',
    submit: 'Send the link again',
    question: 'The address gets a message with a link; the button behind it confirms the address.',
    said: 'The link is on its way to the address. If the mail server refuses it, the row below says why within seconds.',
  },
  createEscalation: {
    title: 'Create an escalation',
    submit: 'Create the escalation',
    section,
    looks: escalationLooks,
    back: escalations,
    said: 'The escalation is created.',
  },
  updateEscalation: {
    ...ofEscalation,
    title: 'Edit the escalation',
    submit: 'Save the escalation',
    question: 'Steps that are not made yet follow a change at once.',
    looks: escalationLooks,
    changes: { operation: 'getEscalation' },
    said: 'The escalation is saved.',
  },
  deleteEscalation: {
    ...ofEscalation,
    title: 'Delete the escalation',
    submit: 'Delete the escalation',
    question: 'Steps that are not made yet are not made.',
    isDanger: true,
    said: 'The escalation is deleted.',
  },
} satisfies Record<string, FormLayout>;
