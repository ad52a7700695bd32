import { MUTE_LOOKS } from './asset-forms.ts';
import type { Values } from './form-fields.ts';
import type { FormLayout } from './form-layout.ts';
import { JOB_LOOKS } from './job-forms.ts';

const section = 'Groups';
const about = { operation: 'getGroup', name: ({ name }: Values) => String(name) };
const group = ({ groupId }: Record<string, string>) => `/operator/groups/${groupId}`;
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
    title: 'Edit the group',
    submit: 'Save',
    section,
    about,
    question:
      'Another profile is offered to each member that does not run it, in one job, whose preview comes first. Without a profile, open changes of the earlier one are withdrawn.',
    looks: { profileSlug, ...JOB_LOOKS },
    changes: { operation: 'getGroup' },
    back: group,
    next: jobOrGroup,
    said: 'The group is saved.',
  },
  deleteGroup: {
    title: 'Delete the group',
    submit: 'Delete the group',
    section,
    about,
    question: 'All members leave the group, and open changes of its profile are withdrawn from them.',
    isDanger: true,
    back: group,
    next: () => '/operator/groups',
    said: 'The group is deleted.',
  },
  addGroupMembers: {
    title: 'Add members',
    submit: 'Add',
    section,
    about,
    question:
      'Each device leaves its earlier group, and gets a job if it does not run the profile of this one.',
    looks: { serialNumbers },
    back: group,
    next: jobOrGroup,
    said: 'The devices are members of the group.',
  },
  removeGroupMembers: {
    title: 'Remove members',
    submit: 'Remove',
    section,
    about,
    question: 'Open changes of the profile of the group are withdrawn from these devices.',
    looks: { serialNumbers },
    back: group,
    said: 'The devices have left the group.',
  },
  muteGroup: {
    title: 'Maintenance of the group',
    submit: 'Save the maintenance',
    section,
    about,
    question:
      'Until the maintenance ends, alerts of its members open as always, and nobody is notified. It takes the place of one that runs or is planned.',
    looks: MUTE_LOOKS,
    back: group,
    said: 'The maintenance of the group is saved.',
  },
  unmuteGroup: {
    title: 'End the maintenance of the group',
    submit: 'End the maintenance',
    section,
    about,
    question: 'Channels are notified at once of alerts that are open. A planned one does not begin.',
    back: group,
    said: 'The maintenance of the group is over.',
  },
} satisfies Record<string, FormLayout>;
