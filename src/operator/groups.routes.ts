import { groupHtml, groupsHtml } from './groups-html.ts';
import { given, noticeOf, type OperatorPage, type PageDeps } from './page-deps.ts';
import { OPERATOR_PATH } from './session.ts';

const path = `${OPERATOR_PATH}/groups`;
const section = 'Groups';

export const groupsRoutes = ({ ask, layout, linksFor }: PageDeps): OperatorPage[] => [
  {
    method: 'GET',
    path,
    role: 'read',
    async handle({ visitor: session, query }) {
      const cursor = given({ cursor: query.get('cursor') });
      const groups = await ask(session, 'listGroups', { query: { ...cursor, limit: '50' } });
      const content = groupsHtml(groups, linksFor(session));
      return { page: layout({ title: 'Groups', session, section, notice: noticeOf(query) }, content) };
    },
  },
  {
    method: 'GET',
    path: `${path}/{groupId}`,
    role: 'read',
    async handle({ visitor: session, params, query }) {
      const group = await ask(session, 'getGroup', { params });
      const content = groupHtml(group, linksFor(session));
      return { page: layout({ title: group.name, session, section, notice: noticeOf(query) }, content) };
    },
  },
];
