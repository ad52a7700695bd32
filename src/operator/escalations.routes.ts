import { listChannels } from './all-channels.ts';
import { escalationsHtml } from './escalations-html.ts';
import { given, type OperatorPage, type PageDeps } from './page-deps.ts';
import { OPERATOR_PATH } from './session.ts';

const path = `${OPERATOR_PATH}/escalations`;
const section = 'Notifications';

export function escalationsRoutes({ ask, showPage, linksFor }: PageDeps): OperatorPage[] {
  return [
    showPage({ path, section, isLive: true }, async (session, { query }) => {
      const cursor = given({ cursor: query.get('cursor') });
      const escalations = await ask(session, 'listEscalations', { query: { ...cursor, limit: '50' } });
      const channels = await listChannels(ask, session);
      const content = escalationsHtml({ escalations, channels, link: linksFor(session) });
      return { title: 'Escalations', content };
    }),
  ];
}
