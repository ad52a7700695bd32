import type { AuditRepository } from '../audit/audit.repository.ts';
import type { ProfilesRepository } from '../profiles/profiles.repository.ts';
import type { OperatorPage, PageDeps } from './page-deps.ts';
import { GROUPS_SHOWN, profileHtml, profilesHtml } from './profiles-html.ts';
import { OPERATOR_PATH } from './session.ts';
import type { ShownGroupsRepository } from './shown-groups.repository.ts';

const path = `${OPERATOR_PATH}/profiles`;
const section = 'Profiles';
const CHANGES_SHOWN = 20;
/** A device may have the slug of the profile as its serial number or name. */
const CHANGES_OF_PROFILES = ['createProfile', 'updateProfile', 'deleteProfile', 'applyProfile'];

export interface ProfilesPageDeps extends PageDeps {
  audit: Pick<AuditRepository, 'listOf'>;
  /** For the intervals, which the API takes and does not show. */
  findProfile: ProfilesRepository['find'];
  listGroupsByProfile: ShownGroupsRepository['listByProfile'];
}

export const profilesRoutes = ({
  ask,
  showPage,
  linksFor,
  audit,
  findProfile,
  listGroupsByProfile,
}: ProfilesPageDeps): OperatorPage[] => [
  showPage({ path, section, isLive: true }, async (session) => {
    const content = profilesHtml(await ask(session, 'listProfiles'), linksFor(session));
    return { title: 'Profiles', content };
  }),
  showPage({ path: `${path}/{slug}`, section, isLive: true }, async (session, { params }) => {
    const { slug = '' } = params;
    const [{ profile }, groups, history, stored] = await Promise.all([
      ask(session, 'getProfile', { params }),
      listGroupsByProfile(session.organizationId, slug, GROUPS_SHOWN + 1),
      audit.listOf(session.organizationId, {
        subject: slug,
        actions: CHANGES_OF_PROFILES,
        limit: CHANGES_SHOWN,
      }),
      findProfile(session.organizationId, slug),
    ]);
    const page = { profile, groups, history, intervals: stored?.intervals ?? null };
    const content = profileHtml(page, { link: linksFor(session), mayChange: session.role !== 'read' });
    return { title: profile.name, content };
  }),
];
