import type { Values } from './form-fields.ts';
import type { FormLayout } from './form-layout.ts';

const section = 'Access';
const keys = () => '/operator/keys';
const sessions = () => '/operator/sessions';

interface Named {
  id: string;
  name: string;
}

/** The operation that lists the things, among them the one with the id in the parameter. */
const among = (operation: 'listKeys' | 'listOperatorSessions', param: string) => ({
  operation,
  query: { limit: '500' },
  name: ({ items }: Values, params: Record<string, string>) =>
    (items as Named[]).find(({ id }) => id === params[param])?.name ?? '',
});

export const ACCESS_FORMS = {
  createKey: {
    title: 'Create an API key',
    submit: 'Create',
    section,
    back: keys,
    looks: {
      role: {
        need: 'for customer keys',
        none: 'none: a device key',
        help: 'read: sees all; write: changes, too; admin: also keys, sessions and this page for others.',
      },
    },
    said: 'The key is created and works at once.',
    reveals: { field: 'key', label: 'API key', advice: 'Store it where secrets are kept.' },
  },
  deleteKey: {
    title: 'Revoke the API key',
    submit: 'Revoke the key',
    section,
    about: among('listKeys', 'keyId'),
    question: 'The key is refused within 5 seconds, and sessions that began with its links end.',
    isDanger: true,
    back: keys,
    said: 'The key is revoked.',
  },
  createOperatorLink: {
    title: 'Invite to this page',
    submit: 'Make a link',
    section,
    question:
      'The link signs in once, within 10 minutes. If you have signed in without an API key, the session of that person ends with yours.',
    looks: {
      role: { none: 'the same as mine', help: 'At most your own. read: sees all; write: changes, too.' },
    },
    back: () => '/operator/audit',
    said: 'The link is made.',
    reveals: { field: 'url', label: 'Link', advice: 'Send it to the person.' },
  },
  endOperatorSession: {
    title: 'End the session',
    submit: 'End the session',
    section,
    about: among('listOperatorSessions', 'sessionId'),
    question: 'The person has to sign in again.',
    isDanger: true,
    back: sessions,
    said: 'The session is ended.',
  },
} satisfies Record<string, FormLayout>;
