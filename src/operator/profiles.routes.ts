import { noticeOf, type OperatorPage, type PageDeps } from './page-deps.ts';
import { profileHtml, profilesHtml } from './profiles-html.ts';
import { OPERATOR_PATH } from './session.ts';

const path = `${OPERATOR_PATH}/profiles`;
const section = 'Profiles';
const GROUPS_READ = '500';
const CHANGES_SHOWN = '20';

export const profilesRoutes = ({ ask, layout, linksFor }: PageDeps): OperatorPage[] => [
  {
    method: 'GET',
    path,
    role: 'read',
    async handle({ visitor: session, query }) {
      const content = profilesHtml(await ask(session, 'listProfiles'), linksFor(session));
      return { page: layout({ title: 'Profiles', session, section, notice: noticeOf(query) }, content) };
    },
  },
  {
    method: 'GET',
    path: `${path}/{slug}`,
    role: 'read',
    async handle({ visitor: session, params, query }) {
      const { slug = '' } = params;
      const [{ profile }, groups, history] = await Promise.all([
        ask(session, 'getProfile', { params }),
        ask(session, 'listGroups', { query: { limit: GROUPS_READ } }),
        ask(session, 'listAudit', { query: { subject: slug, limit: CHANGES_SHOWN } }),
      ]);
      const page = {
        profile,
        groups: groups.items.filter(({ profileSlug }) => profileSlug === slug),
        history: history.items,
      };
      const content = profileHtml(page, linksFor(session));
      return { page: layout({ title: profile.name, session, section, notice: noticeOf(query) }, content) };
    },
  },
];
