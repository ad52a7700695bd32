import { listChannels } from './all-channels.ts';
import { escalationsHtml } from './escalations-html.ts';
import { type OperatorPage, type PageDeps, pageIn } from './page-deps.ts';
import { OPERATOR_PATH } from './session.ts';
import type { ShownGroupsRepository } from './shown-groups.repository.ts';

const path = `${OPERATOR_PATH}/escalations`;
const section = 'Notifications';

export interface EscalationsPageDeps extends PageDeps {
  listGroupNames: ShownGroupsRepository['listByIds'];
}

export function escalationsRoutes(deps: EscalationsPageDeps): OperatorPage[] {
  const { ask, showPage, linksFor, listGroupNames } = deps;

  return [
    showPage({ path, section, isLive: true }, async (session, { query }) => {
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
