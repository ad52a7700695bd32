import { invalid } from '../process/errors.ts';
import type { ProfilesRepository } from '../profiles/profiles.repository.ts';
import { JOIN_PATH } from './apply-fields.ts';
import { jobOrGroup } from './group-forms.ts';
import { findAborted } from './group-rollout.ts';
import { groupHtml, groupsHtml, joinHtml } from './groups-html.ts';
import { leadBack, type OperatorPage, type PageDeps, pageIn } from './page-deps.ts';
import { OPERATOR_PATH } from './session.ts';
import type { ShownAssetsRepository } from './shown-assets.repository.ts';
import type { ShownGroupsRepository } from './shown-groups.repository.ts';

const path = `${OPERATOR_PATH}/groups`;
const section = 'Groups';

const MEMBERS_SHOWN = 25;

export interface GroupsPageDeps extends PageDeps {
  shownGroups: Pick<ShownGroupsRepository, 'listJobs' | 'listLeaving'>;
  shownAssets: Pick<ShownAssetsRepository, 'listWithoutProfile'>;
  listProfileNames: ProfilesRepository['listNames'];
}

export const groupsRoutes = ({
  ask,
  layout,
  showPage,
  linksFor,
  now,
  shownGroups,
  shownAssets,
  listProfileNames,
}: GroupsPageDeps): OperatorPage[] => [
  showPage({ path, section, isLive: true }, async (session, { query }) => {
    const groups = await ask(session, 'listGroups', { query: pageIn(query) });
    const slugs = groups.items.flatMap(({ profileSlug }) => profileSlug ?? []);
    const profileNames = await listProfileNames(session.organizationId, slugs);
    const content = groupsHtml(groups, { profileNames, now: now(), link: linksFor(session) });
    return { title: 'Groups', content };
  }),
  showPage({ path: `${path}/{groupId}`, section, isLive: true }, async (session, { params }) => {
    const group = await ask(session, 'getGroup', { params });
    const [members, jobs] = await Promise.all([
      ask(session, 'listAssets', { query: { groupId: group.id, limit: String(MEMBERS_SHOWN) } }),
      shownGroups.listJobs(session.organizationId, group.id),
    ]);
    const aborted = findAborted(group, jobs);
    const slugs = [group.profileSlug, aborted?.earlierSlug].flatMap((slug) => slug ?? []);
    const [withoutProfile, profileNames] = await Promise.all([
      shownAssets.listWithoutProfile(
        session.organizationId,
        members.items.map(({ id }) => id),
      ),
      listProfileNames(session.organizationId, slugs),
    ]);
    const content = groupHtml(group, {
      withoutProfile,
      profileNames,
      aborted,
      members: members.items,
      now: now(),
      mayChange: session.role !== 'read',
      link: linksFor(session),
    });
    return { title: group.name, content };
  }),
  leadBack(JOIN_PATH, () => `${OPERATOR_PATH}/fleet`),
  {
    method: 'POST',
    path: JOIN_PATH,
    role: 'write',
    async handle({ visitor: session, form }) {
      // Not groupId, which would choose the devices of a group for a profile: both buttons send the whole form.
      const params = { groupId: form.get('joinedGroupId') ?? '' };
      const serialNumbers = form.getAll('serialNumbers');
      if (serialNumbers.length === 0) throw invalid('Tick the devices first');
      if (form.get('step') !== 'apply') {
        const group = await ask(session, 'getGroup', { params });
        const leaving = await shownGroups.listLeaving(session.organizationId, group.id, serialNumbers);
        if (leaving.length > 0 || group.profileSlug !== null) {
          const slugs = group.profileSlug === null ? [] : [group.profileSlug];
          const content = joinHtml({
            group,
            profileNames: await listProfileNames(session.organizationId, slugs),
            leaving,
            count: serialNumbers.length,
            inputs: [...form].filter(([name]) => name === 'joinedGroupId' || name === 'serialNumbers'),
            action: JOIN_PATH,
          });
          return { page: layout({ title: 'Add members', session, section }, content) };
        }
      }
      const joined = await ask(session, 'addGroupMembers', { params, body: { serialNumbers } });
      return { location: `${jobOrGroup(params, joined)}?done=addGroupMembers` };
    },
  },
];
