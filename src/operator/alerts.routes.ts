import { alertHtml, SNOOZES } from './alert-html.ts';
import { alertsHtml } from './alerts-html.ts';
import { given, noticeOf, type OperatorPage, type PageDeps } from './page-deps.ts';
import { toWords } from './parts.ts';
import { OPERATOR_PATH } from './session.ts';

const path = `${OPERATOR_PATH}/alerts`;
const DONE: Record<string, string> = {
  acknowledged: 'The alert is acknowledged.',
  commented: 'The comment is in the history.',
};
const HOUR_MS = 3_600_000;
/** A day of this clock is not more than a day of another one. */
const MARGIN_MS = 1_000;

export function alertsRoutes({ ask, layout, now }: PageDeps): OperatorPage[] {
  return [
    {
      method: 'GET',
      path,
      role: 'read',
      isLive: true,
      async handle({ visitor: session, query, url }) {
        const filter = given({
          status: query.get('status') ?? 'new',
          type: query.get('type'),
          severity: query.get('severity'),
          late: query.get('late'),
          assetId: query.get('assetId'),
          cursor: query.get('cursor'),
        });
        const { status, ...others } = filter;
        const asked = status === 'all' ? others : filter;
        const alerts = await ask(session, 'listAlerts', { query: { ...asked, limit: '50' } });
        const content = alertsHtml({
          alerts,
          filter,
          mayChange: session.role !== 'read',
        });
        const notice = noticeOf(query, DONE);
        return { page: layout({ title: 'Alerts', session, section: 'Alerts', watch: url, notice }, content) };
      },
    },
    {
      method: 'GET',
      path: `${path}/{alertId}`,
      role: 'read',
      isLive: true,
      async handle({ visitor: session, params, query, url }) {
        const alert = await ask(session, 'getAlert', { params });
        const [escalation, channels] = alert.escalation?.nextStepAt
          ? await Promise.all([
              ask(session, 'getEscalation', { params: { escalationId: alert.escalation.id } }).catch(
                () => null,
              ),
              ask(session, 'listNotificationChannels', { query: { limit: '500' } }),
            ])
          : [null, { items: [] }];
        const mayChange = session.role !== 'read';
        const content = alertHtml(alert, { escalation, channels: channels.items, mayChange });
        const title = `${toWords(alert.type)} of ${alert.serialNumber}`;
        const notice = noticeOf(query, DONE);
        return { page: layout({ title, session, section: 'Alerts', watch: url, notice }, content) };
      },
    },
    {
      method: 'POST',
      path: `${path}/{alertId}/acknowledge`,
      role: 'write',
      async handle({ visitor: session, params, form }) {
        const hours = form.get('snoozeHours') ?? '';
        const snoozeUntil = new Date(now().getTime() + Number(hours) * HOUR_MS - MARGIN_MS).toISOString();
        const assignee = form.get('assignee')?.trim();
        const comment = form.get('comment')?.trim();
        const body = {
          status: 'acknowledged',
          ...(assignee !== undefined && { assignee: assignee === '' ? null : assignee }),
          ...(SNOOZES.includes(hours) && { snoozeUntil }),
          ...(comment && { comment }),
        };
        await ask(session, 'acknowledgeAlert', { params, body });
        const to = form.get('back') === 'alert' ? `${path}/${params.alertId}` : path;
        return { location: `${to}?done=acknowledged` };
      },
    },
    {
      method: 'POST',
      path: `${path}/{alertId}/comments`,
      role: 'write',
      async handle({ visitor: session, params, form }) {
        await ask(session, 'commentAlert', { params, body: { comment: form.get('comment') ?? '' } });
        return { location: `${path}/${params.alertId}?done=commented` };
      },
    },
  ];
}
