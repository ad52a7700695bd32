import { channelsHtml } from './channels-html.ts';
import { escalationsHtml } from './escalations-html.ts';
import { leadBack, type OperatorPage, type PageDeps, pageIn } from './page-deps.ts';
import { OPERATOR_PATH, type Session } from './session.ts';
import { listChannels } from './shown-channels.ts';
import type { ShownGroupsRepository } from './shown-groups.repository.ts';
import { testedText } from './tested-text.ts';

const path = `${OPERATOR_PATH}/channels`;
const section = 'Notifications';

export interface ChannelsPageDeps extends PageDeps {
  listGroupNames: ShownGroupsRepository['listByIds'];
}

/** Pages of notification channels and of escalations, which notify them. */
export function channelsRoutes(deps: ChannelsPageDeps): OperatorPage[] {
  const { ask, layout, showPage, linksFor, listGroupNames } = deps;

  async function readChannels(session: Session, query: URLSearchParams) {
    const channels = await ask(session, 'listNotificationChannels', { query: pageIn(query) });
    const groupIds = channels.items.flatMap((channel) => channel.groupIds);
    const content = channelsHtml({
      channels,
      groups: await listGroupNames(session.organizationId, groupIds),
      link: linksFor(session),
      mayChange: session.role !== 'read',
    });
    return { title: section, content };
  }

  return [
    showPage({ path, section, isLive: true }, (session, { query }) => readChannels(session, query)),
    leadBack(`${path}/{channelId}/test`, () => path),
    {
      method: 'POST',
      path: `${path}/{channelId}/test`,
      role: 'write',
      async handle({ visitor: session, params, query }) {
        const tested = await ask(session, 'testNotificationChannel', { params });
        const { title, content } = await readChannels(session, query);
        return { page: layout({ title, session, section, notice: testedText(tested) }, content) };
      },
    },
    showPage({ path: `${OPERATOR_PATH}/escalations`, section, isLive: true }, async (session, { query }) => {
      const escalations = await ask(session, 'listEscalations', { query: pageIn(query) });
      const groupIds = escalations.items.flatMap((escalation) => escalation.groupIds);
      const [channels, groups] = await Promise.all([
        listChannels(ask, session),
        listGroupNames(session.organizationId, groupIds),
      ]);
      const content = escalationsHtml({ escalations, channels, groups, link: linksFor(session) });
      return { title: 'Escalations', content };
    }),
  ];
}
