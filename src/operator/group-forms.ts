import { MUTE_LOOKS } from './asset-forms.ts';
import type { Values } from './form-fields.ts';
import type { FormLayout } from './form-layout.ts';
import { JOB_LOOKS } from './job-forms.ts';

const section = 'Groups';
const about = { operation: 'getGroup', name: ({ name }: Values) => String(name) };
const group = ({ groupId }: Record<string, string>) => `/operator/groups/${groupId}`;
const ofGroup = { section, about, back: group };
/** The job that the change has begun, if it has. */
export const jobOrGroup = (params: Record<string, string>, { jobId }: Values): string =>
  typeof jobId === 'string' ? `/operator/jobs/${jobId}` : group(params);
const profileSlug = { label: 'Profile', choices: 'profiles', help: 'Members are to run it.' } as const;
const serialNumbers = { label: 'Serial numbers' };

export const GROUP_FORMS = {
  createGroup: {
    title: 'Create a group',
    submit: 'Create',
    section,
    looks: { profileSlug },
    back: () => '/operator/groups',
    next: (_, { id }) => `/operator/groups/${id}`,
    said: 'The group is created. Add its members.',
  },
  updateGroup: {
    ...ofGroup,
    title: 'Edit the group',
    submit: 'Save',
    question:
      'Another profile is offered to each member that does not run it, in one job, whose preview comes first. Without a profile, open changes of the earlier one are withdrawn.',
    looks: { profileSlug, ...JOB_LOOKS },
    changes: { operation: 'getGroup' },
    next: jobOrGroup,
    said: 'The group is saved.',
  },
  deleteGroup: {
    ...ofGroup,
    title: 'Delete the group',
    submit: 'Delete the group',
    question: 'All members leave the group, and open changes of its profile are withdrawn from them.',
    isDanger: true,
    next: () => '/operator/groups',
    said: 'The group is deleted.',
  },
  addGroupMembers: {
    ...ofGroup,
    title: 'Add members',
    submit: 'Add',
    question:
      'Each device leaves its earlier group, and gets a job if it does not run the profile of this one.',
    looks: { serialNumbers },
    next: jobOrGroup,
    said: 'The devices are members of the group.',
  },
  removeGroupMembers: {
    ...ofGroup,
    title: 'Remove members',
    submit: 'Remove',
    question: 'Open changes of the profile of the group are withdrawn from these devices.',
    looks: { serialNumbers },
    said: 'The devices have left the group.',
  },
  muteGroup: {
    ...ofGroup,
    title: 'Maintenance of the group',
    submit: 'Save the maintenance',
    question:
      'Until the maintenance ends, alerts of its members open as always, and nobody is notified. It takes the place of one that runs or is planned.',
    looks: MUTE_LOOKS,
    said: 'The maintenance of the group is saved.',
  },
  unmuteGroup: {
    ...ofGroup,
    title: 'End the maintenance of the group',
    submit: 'End the maintenance',
    question: 'Channels are notified at once of alerts that are open. A planned one does not begin.',
    said: 'The maintenance of the group is over.',
  },
} satisfies Record<string, FormLayout>;
