import { alertHtml } from './alert-html.ts';
import { findNextRecipients } from './alert-recipients.ts';
import { alertsHtml } from './alerts-html.ts';
import type { Answers } from './answers.ts';
import { given, noticeOf, type OperatorPage, type PageDeps } from './page-deps.ts';
import { toWords } from './parts.ts';
import { OPERATOR_PATH, type Session } from './session.ts';
import type { ShownAssetsRepository } from './shown-assets.repository.ts';
import type { StartRepository } from './start.repository.ts';
import { toNotified } from './start.ts';

const path = `${OPERATOR_PATH}/alerts`;

export interface AlertsPageDeps extends PageDeps {
  shownAssets: ShownAssetsRepository;
  start: Pick<StartRepository, 'listNotifications'>;
}

export function alertsRoutes({
  ask,
  layout,
  linksFor,
  now,
  shownAssets,
  start,
}: AlertsPageDeps): OperatorPage[] {
  /** By channels of their own accord, and by the steps of the escalation. */
  async function listNotified(session: Session, alert: Answers['getAlert']): Promise<string[]> {
    const [notifications, channels, escalations] = await Promise.all([
      start.listNotifications(session.organizationId, [alert.id]),
      ask(session, 'listNotificationChannels', { query: { limit: '100' } }),
      ask(session, 'listEscalations', { query: { limit: '100' } }),
    ]);
    return toNotified(alert, { notifications, channels: channels.items, escalations: escalations.items })
      .notified;
  }

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
        const [next, names, notified] = await Promise.all([
          findNextRecipients(ask, session, alert),
          shownAssets.listNames(organizationId, [alert.assetId]),
          listNotified(session, alert),
        ]);
        const assetName = names.get(alert.assetId) ?? alert.serialNumber;
        const content = alertHtml(alert, {
          assetName,
          next,
          notified,
          now: roundedDown(now()),
          link: linksFor(session),
        });
        const title = `${assetName}, ${toWords(alert.type)}`;
        const notice = noticeOf(query);
        return { page: layout({ title, session, section: 'Alerts', watch: url, notice }, content) };
      },
    },
  ];
}

const STEP_MS = 5 * 60_000;

/** Rounds down, so that an unchanged page looks the same again. */
const roundedDown = (at: Date): Date => new Date(Math.floor(at.getTime() / STEP_MS) * STEP_MS);
