import type { FormLayout } from './form-layout.ts';

const section = 'Access';
const keys = () => '/operator/keys';
const sessions = () => '/operator/sessions';

export const ACCESS_FORMS = {
  createKey: {
    title: 'Create an API key',
    submit: 'Create',
    section,
    back: keys,
    said: 'The key is created and works at once.',
    reveals: { field: 'key', label: 'API key', advice: 'Store it where secrets are kept.' },
  },
  deleteKey: {
    title: 'Revoke the API key',
    submit: 'Revoke the key',
    section,
    question: 'The key is refused within 5 seconds, and sessions that began with its links end.',
    isDanger: true,
    back: keys,
    said: 'The key is revoked.',
  },
  createOperatorLink: {
    title: 'Invite to this page',
    submit: 'Make a link',
    section,
    question: 'The link signs in once, within 10 minutes.',
    back: sessions,
    said: 'The link is made.',
    reveals: { field: 'url', label: 'Link', advice: 'Send it to the person.' },
  },
  endOperatorSession: {
    title: 'End the session',
    submit: 'End the session',
    section,
    question: 'The person has to sign in again.',
    isDanger: true,
    back: sessions,
    said: 'The session is ended.',
  },
} satisfies Record<string, FormLayout>;
