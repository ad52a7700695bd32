import type { Values } from './form-fields.ts';
import type { FormLayout } from './form-layout.ts';
import { html } from './html.ts';
import { clock } from './parts.ts';

const section = 'Webhooks';
const list = () => '/operator/webhooks';

/** Both collections have the same forms, under the names of the first one. */
function formsOf(collection: 'events' | 'cellular') {
  const webhook = ({ webhookId }: Record<string, string>) => `/operator/webhooks/${collection}/${webhookId}`;
  const isOfEvents = collection === 'events';
  const noun = isOfEvents ? 'Webhook' : 'CellularWebhook';
  const about = { operation: `get${noun}`, name: ({ url }: Values) => String(url) };
  const ofWebhook = { section, about, back: webhook };
  const looks = { url: { label: 'URL' } };
  return {
    createWebhook: {
      title: isOfEvents ? 'Create a webhook for events' : 'Create a webhook for readings',
      submit: 'Create',
      section,
      looks,
      back: list,
      next: (_, { id }) => `/operator/webhooks/${collection}/${id}`,
      said: 'The webhook is created. Send a test to see whether it arrives.',
    },
    updateWebhook: {
      ...ofWebhook,
      title: 'Edit the webhook',
      submit: 'Save',
      omits: ['status', 'secret'],
      looks,
      changes: { operation: `get${noun}` },
      said: 'The webhook is saved.',
    },
    pauseWebhook: {
      ...ofWebhook,
      operation: `update${noun}`,
      title: 'Pause the webhook',
      submit: 'Pause',
      question:
        'Nothing is sent until you resume. What waits now is held and sent then; events meanwhile are not kept for this webhook.',
      isDanger: true,
      body: { status: 'disabled' },
      omits: OTHER_FIELDS,
      said: 'Nothing is sent to the webhook until it is resumed; events meanwhile are not kept for it.',
    },
    resumeWebhook: {
      ...ofWebhook,
      operation: `update${noun}`,
      title: 'Resume the webhook',
      submit: 'Resume',
      question: 'Held deliveries are sent, at a growing pace.',
      body: { status: 'active' },
      omits: OTHER_FIELDS,
      said: 'Held deliveries are sent now, at a growing pace.',
    },
    retryWebhook: {
      ...ofWebhook,
      title: 'Retry now',
      submit: 'Retry now',
      question:
        'While the receiver fails, one delivery is sent, and the others follow when it arrives. Otherwise all that wait for a retry are sent.',
      said: 'The retry begins: with one delivery while the receiver fails, and with the others when it arrives.',
    },
    rotateWebhookSecret: {
      ...ofWebhook,
      title: 'Rotate the secret',
      submit: 'Rotate',
      question:
        'Requests carry a signature of the new and one of the old secret for a while. Left empty, a secret is made and shown once.',
      said: 'The secret is rotated.',
      reveals: SECRET,
    },
    signWebhook: {
      ...ofWebhook,
      operation: `rotate${noun}Secret`,
      title: 'Sign deliveries',
      submit: 'Sign them',
      question: 'Requests carry a signature from now on. Left empty, a secret is made and shown once.',
      said: 'Deliveries are signed.',
      reveals: SECRET,
    },
    removeWebhookSecret: {
      ...ofWebhook,
      operation: `update${noun}`,
      title: 'Take the secret away',
      submit: 'Stop signing',
      question: 'Deliveries are no longer signed, so a receiver that verifies signatures refuses them.',
      isDanger: true,
      body: { secret: null },
      omits: OTHER_FIELDS,
      said: 'Deliveries are no longer signed.',
    },
    replayWebhook: {
      ...ofWebhook,
      title: 'Send deliveries again',
      submit: 'Send them again',
      looks: { since: { label: 'Since', hours: [-1, -6, -24, -72], orAt: 'or from' } },
      said: 'The deliveries are sent again, at a growing pace.',
    },
    deleteWebhook: {
      ...ofWebhook,
      title: 'Delete the webhook',
      submit: 'Delete the webhook',
      question: 'Nothing more is sent to it, and waiting deliveries are cancelled.',
      isDanger: true,
      next: list,
      said: 'The webhook is deleted.',
    },
    resendWebhookDelivery: {
      title: 'Send the delivery again',
      submit: 'Send it again',
      section,
      about: {
        operation: `get${noun}Delivery`,
        name: ({ eventType, createdAt }) => html`${eventType as string}, ${clock(String(createdAt))}`,
      },
      question: 'The receiver gets the same event once more.',
      back: (params) => `${webhook(params)}/deliveries/${params.deliveryId}`,
      said: 'The delivery is sent again.',
    },
  } satisfies Record<string, FormLayout>;
}

const SECRET = {
  field: 'secret',
  label: 'Secret',
  advice: 'Give it to the receiver, which verifies signatures with it.',
};

const OTHER_FIELDS = ['url', 'events', 'name', 'deliverConfigApplied', 'secret', 'status'];

const EVENT_FORMS = formsOf('events');

type CellularForms = {
  [Name in keyof typeof EVENT_FORMS as Name extends `${infer Verb}Webhook${infer Rest}`
    ? `${Verb}CellularWebhook${Rest}`
    : never]: FormLayout;
};

export const WEBHOOK_FORMS = {
  ...EVENT_FORMS,
  ...(Object.fromEntries(
    Object.entries(formsOf('cellular')).map(([name, form]) => [
      name.replace('Webhook', 'CellularWebhook'),
      form,
    ]),
  ) as unknown as CellularForms),
} satisfies Record<string, FormLayout>;
