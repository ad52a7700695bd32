import type { Values } from './form-fields.ts';
import type { FormLayout } from './form-layout.ts';
import { toWords } from './parts.ts';

const section = 'Alerts';
const alert = ({ alertId }: Record<string, string>) => `/operator/alerts/${alertId}`;
const about = {
  operation: 'getAlert',
  name: ({ type, assetName }: Values) => `${toWords(String(type))} of ${assetName}`,
};
const handling = {
  section,
  about,
  body: { status: 'acknowledged' },
  looks: {
    snoozeUntil: { label: 'Snooze for', hours: [0.25, 0.5, 1, 2, 4, 8, 24] },
    assignee: { label: 'Assigned to' },
  },
  changes: { operation: 'getAlert', pick: ({ assignee }) => ({ assignee }) },
  back: alert,
} satisfies Partial<FormLayout>;

export const ALERT_FORMS = {
  acknowledgeAlert: {
    ...handling,
    title: 'Acknowledge',
    submit: 'Acknowledge',
    said: 'The alert is acknowledged.',
  },
  assignAlert: {
    ...handling,
    operation: 'acknowledgeAlert',
    title: 'Assign or snooze',
    submit: 'Save',
    said: 'The alert is changed, and stays acknowledged.',
  },
  endSnooze: {
    operation: 'acknowledgeAlert',
    title: 'End the snooze',
    submit: 'End the snooze',
    section,
    question: 'The alert stays acknowledged, and will not be new again.',
    about,
    body: { status: 'acknowledged', snoozeUntil: null },
    omits: ['assignee'],
    back: alert,
    said: 'The snooze is over. The alert stays acknowledged.',
  },
  commentAlert: {
    title: 'Comment',
    submit: 'Add',
    section,
    about,
    looks: { comment: { isLong: true } },
    back: alert,
    said: 'The comment is in the history.',
  },
} satisfies Record<string, FormLayout>;
