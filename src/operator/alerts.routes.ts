import { alertHtml } from './alert-html.ts';
import { findNextRecipients } from './alert-recipients.ts';
import { alertsHtml } from './alerts-html.ts';
import { given, noticeOf, type OperatorPage, type PageDeps } from './page-deps.ts';
import { toWords } from './parts.ts';
import { OPERATOR_PATH } from './session.ts';
import type { ShownAssetsRepository } from './shown-assets.repository.ts';

const path = `${OPERATOR_PATH}/alerts`;

export interface AlertsPageDeps extends PageDeps {
  shownAssets: ShownAssetsRepository;
}

export function alertsRoutes({ ask, layout, linksFor, shownAssets }: AlertsPageDeps): OperatorPage[] {
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
        const names = await shownAssets.listNames(
          session.organizationId,
          alerts.items.map(({ assetId }) => assetId),
        );
        const content = alertsHtml({
          alerts,
          names,
          filter,
          mayChange: session.role !== 'read',
        });
        const notice = noticeOf(query);
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
        const { organizationId } = session;
        const [next, names] = await Promise.all([
          findNextRecipients(ask, session, alert),
          shownAssets.listNames(organizationId, [alert.assetId]),
        ]);
        const assetName = names.get(alert.assetId) ?? alert.serialNumber;
        const content = alertHtml(alert, { assetName, next, link: linksFor(session) });
        const title = `${assetName}, ${toWords(alert.type)}`;
        const notice = noticeOf(query);
        return { page: layout({ title, session, section: 'Alerts', watch: url, notice }, content) };
      },
    },
  ];
}
