/** Fields of a maintenance, of a device or of a group. */
export const MUTE_LOOKS = {
  from: { label: 'Begins', need: 'empty: now', help: 'At most 30 days ahead.' },
  until: {
    label: 'For',
    hours: [1, 2, 4, 8, 24, 72, 168],
    since: 'from',
    orAt: 'or until',
    help: 'Then it ends by itself, at most 30 days after it begins. A time counts in place of the hours.',
  },
} as const;
