import { alertsHtml } from './alerts-html.ts';
import { given, noticeOf, type OperatorPage, type PageDeps } from './page-deps.ts';
import { OPERATOR_PATH } from './session.ts';

const path = `${OPERATOR_PATH}/alerts`;
const DONE: Record<string, string> = { acknowledged: 'The alert is acknowledged.' };

export function alertsRoutes({ ask, layout }: PageDeps): OperatorPage[] {
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
      method: 'POST',
      path: `${path}/{alertId}/acknowledge`,
      role: 'write',
      async handle({ visitor: session, params }) {
        await ask(session, 'acknowledgeAlert', { params, body: { status: 'acknowledged' } });
        return { location: `${path}?done=acknowledged` };
      },
    },
  ];
}
