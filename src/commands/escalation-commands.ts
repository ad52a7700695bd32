/** Commands for escalations, by API. */
import { type Client, each, type Result } from '../../client/src/index.ts';
import { byApi } from './api.ts';
import {
  type Command,
  type CommandInput,
  limitOption,
  option,
  required,
  type Table,
  UsageError,
} from './command.ts';
import { take } from './take.ts';

type Escalation = Result<'getEscalation'>;
type Fields = NonNullable<Parameters<Client['updateEscalation']>[0]['body']>;

const FIELDS =
  '[--types TYPE,…] [--severities SEVERITY,…] [--groups ID,…] [--repeat MINUTES] [--status STATUS]';
const STEPS = '--steps 0:CHANNEL_ID,15:CHANNEL_ID+CHANNEL_ID';

export const escalationCommands: Command[] = [
  {
    words: ['escalations', 'list'],
    args: '[--limit 20]',
    summary: 'lists who is notified of alerts step by step, newest first',
    ...byApi(async ({ dms }, input) =>
      tableOf(await take(each(dms.listEscalations, {}), limitOption(input))),
    ),
  },
  {
    words: ['escalations', 'show'],
    args: 'ID',
    summary: 'shows an escalation with its steps',
    ...byApi(async ({ dms }, input) => shown(await dms.getEscalation({ escalationId: idOf(input) }))),
  },
  {
    words: ['escalations', 'create'],
    args: `NAME ${STEPS} ${FIELDS}`,
    summary: 'creates one; each step is the minutes after which it is made, and notification channels',
    ...byApi(async ({ dms }, input) => {
      const { steps, ...fields } = fieldsOf(input);
      if (!steps) throw new UsageError('--steps is needed');
      const body = { name: required(input, 0, 'NAME'), steps, ...fields };
      return shown(await dms.createEscalation({ body }));
    }),
  },
  {
    words: ['escalations', 'update'],
    args: `ID [--name NAME] [${STEPS}] ${FIELDS}`,
    summary: 'changes what is given; steps that are not made yet follow at once. --repeat 0: no more',
    ...byApi(async ({ dms }, input) => {
      const name = option(input, 'name');
      const body = { ...fieldsOf(input), ...(name && { name }) };
      return shown(await dms.updateEscalation({ escalationId: idOf(input), body }));
    }),
  },
  {
    words: ['escalations', 'delete'],
    args: 'ID',
    summary: 'deletes an escalation; steps that are not made yet are not made',
    ...byApi(async ({ dms }, input) => {
      const escalationId = idOf(input);
      await dms.deleteEscalation({ escalationId });
      return { text: `${escalationId} is deleted`, value: {} };
    }),
  },
];

const idOf = (input: CommandInput): string => required(input, 0, 'ID');

/** The service validates them, and its message is shown unchanged. */
function fieldsOf(input: CommandInput): Fields {
  const list = (name: string) => option(input, name)?.split(',');
  const [types, severities, groups] = [list('types'), list('severities'), list('groups')];
  const [steps, repeat, status] = [list('steps'), option(input, 'repeat'), option(input, 'status')];
  return {
    ...(types && { alertTypes: types }),
    ...(severities && { severities }),
    ...(groups && { groupIds: groups }),
    ...(steps && { steps: steps.map(toStep) }),
    ...(repeat && { repeatMinutes: toMinutes(repeat) }),
    ...(status && { status }),
  } as Fields;
}

/** Null for 0, which means no repeats. */
function toMinutes(text: string): number | null {
  if (!/^\d+$/.test(text)) throw new UsageError('--repeat is a number of minutes, 0 for no more');
  return Number(text) || null;
}

function toStep(text: string): Escalation['steps'][number] {
  const [, minutes, channels] = /^(\d+):(.+)$/.exec(text) ?? [];
  if (minutes === undefined || channels === undefined)
    throw new UsageError('A step is written MINUTES:CHANNEL_ID, with + between several channels');
  return { afterMinutes: Number(minutes), channelIds: channels.split('+') };
}

const tableOf = (escalations: Escalation[]): Table => ({
  headings: ['ID', 'NAME', 'TYPES', 'SEVERITIES', 'STEPS', 'STATUS'],
  rows: escalations.map(({ id, name, alertTypes, severities, steps, status }) => [
    id,
    name,
    alertTypes.join(','),
    severities.join(','),
    String(steps.length),
    status,
  ]),
  items: escalations,
});

function shown(escalation: Escalation): { text: string; value: Escalation } {
  const { id, name, status, alertTypes, severities, steps, repeatMinutes } = escalation;
  const lines = [
    `${id} ${name}: ${status}, ${alertTypes.join(', ')}; ${severities.join(', ')}`,
    ...steps.map(({ afterMinutes, channelIds }) => `after ${afterMinutes} min: ${channelIds.join(', ')}`),
    ...(repeatMinutes === null ? [] : [`the last one again every ${repeatMinutes} min`]),
  ];
  return { text: lines.join('\n'), value: escalation };
}
