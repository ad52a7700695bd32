import { listChannels } from './all-channels.ts';
import { escalationsHtml } from './escalations-html.ts';
import { given, noticeOf, type OperatorPage, type PageDeps } from './page-deps.ts';
import { OPERATOR_PATH } from './session.ts';

const path = `${OPERATOR_PATH}/escalations`;
const section = 'Notifications';

export function escalationsRoutes({ ask, layout, linksFor }: PageDeps): OperatorPage[] {
  return [
    {
      method: 'GET',
      path,
      role: 'read',
      async handle({ visitor: session, query }) {
        const cursor = given({ cursor: query.get('cursor') });
        const escalations = await ask(session, 'listEscalations', { query: { ...cursor, limit: '50' } });
        const channels = await listChannels(ask, session);
        const content = escalationsHtml({ escalations, channels, link: linksFor(session) });
        const notice = noticeOf(query);
        return { page: layout({ title: 'Escalations', session, section, notice }, content) };
      },
    },
  ];
}
