/** Commands for groups, by API. Commands identify groups by name. */
import { type Arguments, type Client, each, type Result } from '../../client/src/index.ts';
import { toName } from '../http/one-line.ts';
import { byApi } from './api.ts';
import { type Command, type CommandInput, option, required, type Table, UsageError } from './command.ts';
import { take } from './take.ts';

type Group = Result<'getGroup'>;

/** The maximum of the service, because a name is searched in all groups. */
const PAGE = { limit: 500 };

export const groupCommands: Command[] = [
  {
    words: ['groups', 'list'],
    args: '',
    summary: 'lists groups, with the profile that members are to run',
    ...byApi(async ({ dms }) => tableOf(await take(each(dms.listGroups, PAGE), Number.POSITIVE_INFINITY))),
  },
  {
    words: ['groups', 'create'],
    args: 'NAME [--profile SLUG]',
    summary: 'makes a group; whoever joins it is offered the profile',
    ...byApi(async ({ dms }, input) => {
      const name = required(input, 0, 'NAME');
      const profileSlug = option(input, 'profile');
      const group = await dms.createGroup({ body: { name, ...(profileSlug && { profileSlug }) } });
      return { text: describe(group), value: group };
    }),
  },
  {
    words: ['groups', 'profile'],
    args: 'NAME [SLUG] [--none] [--dry-run] [--first-percent N] [--deadline-minutes N]',
    summary: 'names the profile that members are to run, and starts a job for those that do not run it',
    details: 'With --dry-run it shows what would be offered to how many, and changes nothing.',
    ...byApi(async ({ dms }, input) => {
      const { id: groupId } = await findGroup(dms, required(input, 0, 'NAME'));
      const dryRun = input.options['dry-run'] === true;
      const body = { profileSlug: chosenProfile(input), ...rolloutOf(input) };
      const changed = await dms.updateGroup({ groupId, body, ...(dryRun && { dryRun }) });
      return { text: describeChange(changed), value: changed };
    }),
  },
  {
    words: ['groups', 'add'],
    args: 'NAME SERIAL…',
    summary: 'adds devices to a group; a device that is in another one leaves it',
    ...byApi(async ({ dms }, input) => {
      const { id: groupId } = await findGroup(dms, required(input, 0, 'NAME'));
      const added = await dms.addGroupMembers({ groupId, body: { serialNumbers: serialsOf(input) } });
      return { text: `${added.added} added${jobText(added.jobId)}`, value: added };
    }),
  },
  {
    words: ['groups', 'remove'],
    args: 'NAME SERIAL…',
    summary: 'removes devices from a group; what they were offered for it is withdrawn',
    ...byApi(async ({ dms }, input) => {
      const { id: groupId } = await findGroup(dms, required(input, 0, 'NAME'));
      const removed = await dms.removeGroupMembers({ groupId, body: { serialNumbers: serialsOf(input) } });
      return { text: `${removed.removed} removed`, value: removed };
    }),
  },
];

/** Upper case first: "ß" becomes "ss", and "ς" becomes "σ". */
const withoutCase = (name: string): string => toName(name).toUpperCase().toLowerCase();

/** Finds a group by name, compared without case. */
export async function findGroup(dms: Client, name: string): Promise<Group> {
  for await (const group of each(dms.listGroups, PAGE))
    if (withoutCase(group.name) === withoutCase(name)) return group;
  throw new UsageError(`There is no group "${name}": see dms groups list`);
}

function chosenProfile(input: CommandInput): string | null {
  const slug = input.positionals[1];
  const isNone = input.options.none === true;
  if (isNone === (slug !== undefined)) throw new UsageError('Name a profile, or --none');
  return slug ?? null;
}

function rolloutOf(
  input: CommandInput,
): Pick<Arguments<'updateGroup'>['body'], 'rollout' | 'deadlineMinutes'> {
  const [firstPercent, deadlineMinutes] = ['first-percent', 'deadline-minutes'].map((name) =>
    numberOf(input, name),
  );
  return {
    ...(firstPercent !== undefined && { rollout: { firstPercent } }),
    ...(deadlineMinutes !== undefined && { deadlineMinutes }),
  };
}

function numberOf(input: CommandInput, name: string): number | undefined {
  const text = option(input, name);
  if (text === undefined) return undefined;
  // The service names the valid numbers.
  if (!/^\d+$/.test(text)) throw new UsageError(`--${name} must be a whole number`);
  return Number(text);
}

const serialsOf = (input: CommandInput): string[] => input.positionals.slice(1);

const tableOf = (groups: Group[]): Table => ({
  headings: ['NAME', 'PROFILE', 'MEMBERS', 'ID'],
  rows: groups.map(({ name, profileSlug, memberCount, id }) => [name, profileSlug, String(memberCount), id]),
  items: groups,
});

const describe = ({
  name,
  profileSlug,
  memberCount,
}: Pick<Group, 'name' | 'profileSlug' | 'memberCount'>): string =>
  `${name}: ${memberCount} members, ${profileSlug === null ? 'no profile' : `profile ${profileSlug}`}`;

function describeChange({ preview, jobId, ...group }: Result<'updateGroup'>): string {
  if (!preview) return `${describe(group)}${jobText(jobId)}`;
  const count = preview.reduce((sum, { deviceCount }) => sum + deviceCount, 0);
  const warnings = preview.flatMap(({ deviceCount, warnings }) =>
    warnings.map((warning) => `${deviceCount} of them: ${warning}`),
  );
  return [`It would be offered to ${count} ${count === 1 ? 'device' : 'devices'}`, ...warnings].join('\n');
}

const jobText = (jobId: string | null): string => (jobId === null ? '' : `; dms jobs watch ${jobId}`);
