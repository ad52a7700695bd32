import type { Values } from './form-fields.ts';
import type { FormLayout } from './form-layout.ts';
import { toWords } from './parts.ts';

const alert = ({ alertId }: Record<string, string>) => `/operator/alerts/${alertId}`;
const about = {
  operation: 'getAlert',
  name: ({ type, assetName }: Values) => `${toWords(String(type))} of ${assetName}`,
};
const ofAlert = { section: 'Alerts', about, back: alert };
const handling = {
  ...ofAlert,
  body: { status: 'acknowledged' },
  looks: {
    snoozeUntil: { label: 'Snooze for', hours: [0.25, 0.5, 1, 2, 4, 8, 24] },
    assignee: { label: 'Assigned to' },
  },
  changes: { operation: 'getAlert', pick: ({ assignee }) => ({ assignee }) },
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
    ...ofAlert,
    operation: 'acknowledgeAlert',
    title: 'End the snooze',
    submit: 'End the snooze',
    question: 'The alert stays acknowledged, and will not be new again.',
    body: { status: 'acknowledged', snoozeUntil: null },
    omits: ['assignee'],
    said: 'The snooze is over. The alert stays acknowledged.',
  },
  commentAlert: {
    ...ofAlert,
    title: 'Comment',
    submit: 'Add',
    looks: { comment: { isLong: true } },
    said: 'The comment is in the history.',
  },
} satisfies Record<string, FormLayout>;
