import type { FieldLook, FormLayout } from './form-layout.ts';

const section = 'Profiles';
const profile = ({ slug }: Record<string, string>) => `/operator/profiles/${slug}`;
const UNLESS_ALWAYS = { need: 'unless always' };
const ONE_OF_TWO = 'one of the two';
const looks: Record<string, FieldLook> = {
  name: { need: ONE_OF_TWO, help: 'For people. Left empty, the short name.' },
  slug: {
    label: 'Short name',
    need: ONE_OF_TWO,
    help: 'Small letters, digits and hyphens. Left empty, made from the name.',
  },
  'temperatureAlerts.type': { help: 'A range has both bounds, high only At most, low only At least.' },
  'temperatureAlerts.channel': { help: 'A logger with one temperature channel has that one for both.' },
  'temperatureAlerts.lowC': { label: 'At least °C', help: 'Below it is a breach.' },
  'temperatureAlerts.highC': { label: 'At most °C', help: 'Above it is a breach.' },
  'temperatureAlerts.hysteresisC': {
    label: 'Hysteresis °C',
    help: 'How far back inside the breached bound counts as a return: 0, or from 0.1 on.',
  },
  'temperatureAlerts.delayMinutes': { label: 'Delay in minutes' },
  schedule: {
    label: 'When the alerts are on',
    help: 'Left empty, always. Otherwise on these days between these times.',
  },
  'schedule.always': { isAlone: true },
  'schedule.days': {
    values: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'],
  },
  'schedule.from': UNLESS_ALWAYS,
  'schedule.to': {
    ...UNLESS_ALWAYS,
    help: 'When earlier than From, on the day after. From 00:00 to 24:00 is the whole day.',
  },
  'schedule.timezone': {
    ...UNLESS_ALWAYS,
    label: 'Time zone',
    help: null,
    suggestions: Intl.supportedValuesOf('timeZone'),
  },
  intervals: { help: 'An interval that is left empty stays as it is on the device.' },
  'intervals.measurementIntervalMinutes': { label: 'Measure every … minutes', help: null },
  'intervals.transmissionIntervalSeconds': {
    label: 'Transmit every … seconds',
    help: 'At least as long as the measurement interval. 60 is a minute, 3600 an hour.',
  },
};
const first = ['name', 'slug'];

export const PROFILE_FORMS = {
  createProfile: {
    title: 'Create a profile',
    submit: 'Create',
    section,
    looks,
    first,
    back: () => '/operator/profiles',
    next: (_, { profile: created }) => `/operator/profiles/${(created as { slug: string }).slug}`,
    said: 'The profile is created. Apply it to devices, or give it to a group.',
  },
  updateProfile: {
    title: 'Edit the profile',
    submit: 'Save',
    section,
    about: { operation: 'getProfile', name: ({ profile: found }) => (found as { name: string }).name },
    question:
      'Devices take the changed profile when it is applied to them, not before. What changes for whom is shown before it is saved.',
    looks: { ...looks, name: { help: 'For people.' } },
    first,
    omits: ['slug'],
    changes: {
      operation: 'getProfile',
      pick: ({ profile: found }) => found as Record<string, unknown>,
      hasIntervals: true,
    },
    back: profile,
    said: 'The profile is saved. Apply it to bring it to devices.',
  },
} satisfies Record<string, FormLayout>;
