import { escalationsHtml } from './escalations-html.ts';
import { given, noticeOf, type OperatorPage, type PageDeps } from './page-deps.ts';
import { OPERATOR_PATH, type Session } from './session.ts';

const path = `${OPERATOR_PATH}/escalations`;
const section = 'Notifications';
/** The maximum number of channels. */
const CHANNELS = { limit: '100' };

export function escalationsRoutes({ ask, layout, linksFor }: PageDeps): OperatorPage[] {
  const listChannels = async (session: Session) =>
    (await ask(session, 'listNotificationChannels', { query: CHANNELS })).items;

  return [
    {
      method: 'GET',
      path,
      role: 'read',
      async handle({ visitor: session, query }) {
        const cursor = given({ cursor: query.get('cursor') });
        const escalations = await ask(session, 'listEscalations', { query: { ...cursor, limit: '50' } });
        const channels = await listChannels(session);
        const content = escalationsHtml({ escalations, channels, link: linksFor(session) });
        const notice = noticeOf(query);
        return { page: layout({ title: 'Escalations', session, section, notice }, content) };
      },
    },
  ];
}
