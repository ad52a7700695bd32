import type { Values } from './form-fields.ts';
import type { FormLayout } from './form-layout.ts';
import { html } from './html.ts';
import { clock } from './parts.ts';

const section = 'Webhooks';
const list = () => '/operator/webhooks';

/** Both collections have the same forms. */
function formsOf(collection: 'events' | 'cellular') {
  const webhook = ({ webhookId }: Record<string, string>) => `/operator/webhooks/${collection}/${webhookId}`;
  const isOfEvents = collection === 'events';
  const get = isOfEvents ? 'getWebhook' : 'getCellularWebhook';
  const about = { operation: get, name: ({ url }: Values) => String(url) };
  const looks = { url: { label: 'URL' } };
  return {
    create: {
      title: isOfEvents ? 'Create a webhook for events' : 'Create a webhook for readings',
      submit: 'Create',
      section,
      looks,
      back: list,
      next: (_, { id }) => `/operator/webhooks/${collection}/${id}`,
      said: 'The webhook is created. Send a test to see whether it arrives.',
    },
    change: {
      title: 'Edit the webhook',
      submit: 'Save',
      section,
      about,
      omits: ['status', 'secret'],
      looks,
      changes: { operation: get },
      back: webhook,
      said: 'The webhook is saved.',
    },
    pause: {
      operation: isOfEvents ? 'updateWebhook' : 'updateCellularWebhook',
      title: 'Pause the webhook',
      submit: 'Pause',
      section,
      about,
      question: 'Nothing is sent until you resume. Events meanwhile are held and sent then.',
      isDanger: true,
      body: { status: 'disabled' },
      omits: OTHER_FIELDS,
      back: webhook,
      said: 'Nothing is sent to the webhook until it is resumed; events meanwhile are held.',
    },
    resume: {
      operation: isOfEvents ? 'updateWebhook' : 'updateCellularWebhook',
      title: 'Resume the webhook',
      submit: 'Resume',
      section,
      about,
      question: 'Held deliveries are sent, at a growing pace.',
      body: { status: 'active' },
      omits: OTHER_FIELDS,
      back: webhook,
      said: 'Held deliveries are sent now, at a growing pace.',
    },
    retry: {
      title: 'Retry now',
      submit: 'Retry now',
      section,
      about,
      question:
        'While the receiver fails, one delivery is sent, and the others follow when it arrives. Otherwise all that wait for a retry are sent.',
      back: webhook,
      said: 'The retry begins: with one delivery while the receiver fails, and with the others when it arrives.',
    },
    rotate: {
      title: 'Rotate the secret',
      submit: 'Rotate',
      section,
      about,
      question:
        'Requests carry a signature of the new and one of the old secret for a while. Left empty, a secret is made and shown once.',
      back: webhook,
      said: 'The secret is rotated.',
      reveals: SECRET,
    },
    sign: {
      operation: isOfEvents ? 'rotateWebhookSecret' : 'rotateCellularWebhookSecret',
      title: 'Sign deliveries',
      submit: 'Sign them',
      section,
      about,
      question: 'Requests carry a signature from now on. Left empty, a secret is made and shown once.',
      back: webhook,
      said: 'Deliveries are signed.',
      reveals: SECRET,
    },
    unsign: {
      operation: isOfEvents ? 'updateWebhook' : 'updateCellularWebhook',
      title: 'Take the secret away',
      submit: 'Stop signing',
      section,
      about,
      question: 'Deliveries are no longer signed, so a receiver that verifies signatures refuses them.',
      isDanger: true,
      body: { secret: null },
      omits: OTHER_FIELDS,
      back: webhook,
      said: 'Deliveries are no longer signed.',
    },
    replay: {
      title: 'Send deliveries again',
      submit: 'Send them again',
      section,
      about,
      looks: { since: { label: 'Since', hours: [-1, -6, -24, -72], orAt: 'or from' } },
      back: webhook,
      said: 'The deliveries are sent again, at a growing pace.',
    },
    remove: {
      title: 'Delete the webhook',
      submit: 'Delete the webhook',
      section,
      about,
      question: 'Nothing more is sent to it, and waiting deliveries are cancelled.',
      isDanger: true,
      back: webhook,
      next: list,
      said: 'The webhook is deleted.',
    },
    resend: {
      title: 'Send the delivery again',
      submit: 'Send it again',
      section,
      about: {
        operation: isOfEvents ? 'getWebhookDelivery' : 'getCellularWebhookDelivery',
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

const events = formsOf('events');
const cellular = formsOf('cellular');

export const WEBHOOK_FORMS = {
  createWebhook: events.create,
  updateWebhook: events.change,
  pauseWebhook: events.pause,
  resumeWebhook: events.resume,
  retryWebhook: events.retry,
  rotateWebhookSecret: events.rotate,
  signWebhook: events.sign,
  removeWebhookSecret: events.unsign,
  replayWebhook: events.replay,
  deleteWebhook: events.remove,
  resendWebhookDelivery: events.resend,
  createCellularWebhook: cellular.create,
  updateCellularWebhook: cellular.change,
  pauseCellularWebhook: cellular.pause,
  resumeCellularWebhook: cellular.resume,
  retryCellularWebhook: cellular.retry,
  rotateCellularWebhookSecret: cellular.rotate,
  signCellularWebhook: cellular.sign,
  removeCellularWebhookSecret: cellular.unsign,
  replayCellularWebhook: cellular.replay,
  deleteCellularWebhook: cellular.remove,
  resendCellularWebhookDelivery: cellular.resend,
} satisfies Record<string, FormLayout>;
