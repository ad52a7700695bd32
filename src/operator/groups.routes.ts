import { invalid } from '../process/errors.ts';
import { JOIN_PATH } from './apply-fields.ts';
import { jobOrGroup } from './group-forms.ts';
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
  {
    method: 'POST',
    path: JOIN_PATH,
    role: 'write',
    async handle({ visitor: session, form }) {
      // Not groupId, which would choose the devices of a group for a profile: both buttons send the whole form.
      const params = { groupId: form.get('joinedGroupId') ?? '' };
      const serialNumbers = form.getAll('serialNumbers');
      if (serialNumbers.length === 0) throw invalid('Tick the devices first');
      const joined = await ask(session, 'addGroupMembers', { params, body: { serialNumbers } });
      return { location: `${jobOrGroup(params, joined)}?done=addGroupMembers` };
    },
  },
];
