/** Commands for alerts, by API. */
import { type Client, each, type Result } from '../../client/src/index.ts';
import { byApi } from './api.ts';
import {
  type Command,
  type CommandInput,
  durationMs,
  limitOption,
  option,
  required,
  type Table,
} from './command.ts';
import { take } from './take.ts';

type Alert = Result<'listAlerts'>['items'][number];
type AlertWithHistory = Result<'getAlert'>;
type Filter = Exclude<Parameters<Client['listAlerts']>[0], undefined>;

export const alertCommands: Command[] = [
  {
    words: ['alerts', 'list'],
    args: '[--status STATUS] [--type TYPE] [--severity SEVERITY] [--late BOOLEAN] [--limit 20]',
    summary: 'lists alerts, newest first',
    ...byApi(async ({ dms }, input) => {
      const given = (['status', 'type', 'severity', 'late'] as const).flatMap((name) => {
        const value = option(input, name);
        return value ? [[name, value]] : [];
      });
      const filter = Object.fromEntries(given) as Filter;
      return tableOf(await take(each(dms.listAlerts, filter), limitOption(input)));
    }),
  },
  {
    words: ['alerts', 'show'],
    args: 'ID',
    summary: 'shows an alert and what was done about it',
    ...byApi(async ({ dms }, input) => shown(await dms.getAlert({ alertId: alertId(input) }))),
  },
  {
    words: ['alerts', 'acknowledge'],
    args: 'ID [--comment TEXT] [--assignee NAME] [--snooze 2h]',
    summary: 'ends the reminders of an alert; with --snooze they go on after that time, at most 24h',
    ...byApi(async ({ dms }, input) => {
      const [comment, assignee, snooze] = ['comment', 'assignee', 'snooze'].map((name) =>
        option(input, name),
      );
      const snoozeUntil = snooze && new Date(Date.now() + durationMs(snooze, 'snooze')).toISOString();
      const body = {
        status: 'acknowledged' as const,
        ...(comment && { comment }),
        ...(assignee && { assignee }),
        ...(snoozeUntil && { snoozeUntil }),
      };
      return shown(await dms.acknowledgeAlert({ alertId: alertId(input), body }));
    }),
  },
  {
    words: ['alerts', 'comment'],
    args: 'ID TEXT',
    summary: 'adds to the history of an alert, also after its end',
    ...byApi(async ({ dms }, input) => {
      const comment = required(input, 1, 'TEXT');
      const added = await dms.commentAlert({ alertId: alertId(input), body: { comment } });
      return { text: entryText(added), value: added };
    }),
  },
];

const alertId = (input: CommandInput): string => required(input, 0, 'ID');

const tableOf = (alerts: Alert[]): Table => ({
  headings: ['ID', 'SERIAL', 'TYPE', 'SEVERITY', 'STATUS', 'SINCE', 'UNTIL', 'LATE', 'ASSIGNEE'],
  rows: alerts.map(({ id, serialNumber, type, severity, status, timestamp, endedAt, late, assignee }) => [
    id,
    serialNumber,
    type,
    severity,
    status,
    timestamp,
    endedAt,
    late ? 'late' : null,
    assignee,
  ]),
  items: alerts,
});

function shown(alert: AlertWithHistory): { text: string; value: AlertWithHistory } {
  const { serialNumber, type, severity, status, timestamp, endedAt, late, extreme } = alert;
  const { assignee, snoozeUntil, escalation, history } = alert;
  const lines = [
    `${serialNumber}: ${type}, ${severity}, ${status}, ${endedAt === null ? `since ${timestamp}` : `from ${timestamp} to ${endedAt}`}`,
    ...(late ? [`Found in late data, farthest ${extreme?.value} °C at ${extreme?.at}`] : []),
    ...(assignee === null ? [] : [`Assigned to ${assignee}`]),
    ...(snoozeUntil === null ? [] : [`Snoozed until ${snoozeUntil}`]),
    ...(escalation === null
      ? []
      : [`Escalation: ${escalation.step} steps, next ${escalation.nextStepAt ?? 'none'}`]),
    ...history.map(entryText),
  ];
  return { text: lines.join('\n'), value: alert };
}

const entryText = ({ at, action, by, comment }: AlertWithHistory['history'][number]): string =>
  [at, action, ...(by === null ? [] : [`by ${by.name}`]), ...(comment === null ? [] : [`- ${comment}`])].join(
    ' ',
  );
