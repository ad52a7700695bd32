import { given, noticeOf, type OperatorPage, type PageDeps } from './page-deps.ts';
import { OPERATOR_PATH } from './session.ts';
import { unregisteredHtml } from './unregistered-html.ts';

const path = `${OPERATOR_PATH}/unregistered`;

export function unregisteredRoutes({ ask, layout }: PageDeps): OperatorPage[] {
  return [
    {
      method: 'GET',
      path,
      role: 'read',
      isLive: true,
      async handle({ visitor: session, query, url }) {
        const cursor = given({ cursor: query.get('cursor') });
        const devices = await ask(session, 'listUnregisteredDevices', { query: { ...cursor, limit: '50' } });
        const content = unregisteredHtml(devices, session.role !== 'read');
        const notice = noticeOf(query);
        const title = 'Unregistered devices';
        return { page: layout({ title, session, section: 'Fleet', watch: url, notice }, content) };
      },
    },
  ];
}
