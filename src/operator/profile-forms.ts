import type { FieldLook, FormLayout } from './form-layout.ts';

const section = 'Profiles';
const profile = ({ slug }: Record<string, string>) => `/operator/profiles/${slug}`;
const looks: Record<string, FieldLook> = {
  slug: { label: 'Short name' },
  'schedule.always': { isAlone: true },
  'temperatureAlerts.lowC': { label: 'At least °C' },
  'temperatureAlerts.highC': { label: 'At most °C' },
  'temperatureAlerts.hysteresisC': { label: 'Hysteresis °C' },
};

export const PROFILE_FORMS = {
  createProfile: {
    title: 'Create a profile',
    submit: 'Create',
    section,
    looks,
    back: () => '/operator/profiles',
    next: (_, { profile: created }) => `/operator/profiles/${(created as { slug: string }).slug}`,
    said: 'The profile is created. Apply it to devices, or give it to a group.',
  },
  updateProfile: {
    title: 'Edit the profile',
    submit: 'Save',
    section,
    question: 'Devices take the changed profile when it is applied to them, not before.',
    looks,
    omits: ['slug'],
    changes: {
      operation: 'getProfile',
      pick: ({ profile: found }) => found as Record<string, unknown>,
      stored: 'intervals',
    },
    back: profile,
    said: 'The profile is saved. Apply it to bring it to devices.',
  },
} satisfies Record<string, FormLayout>;
