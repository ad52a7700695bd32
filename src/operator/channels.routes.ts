import { channelsHtml } from './channels-html.ts';
import type { Content } from './html.ts';
import { given, noticeOf, type OperatorPage, type PageDeps } from './page-deps.ts';
import { OPERATOR_PATH, type Session } from './session.ts';
import { testedText } from './tested-text.ts';

const path = `${OPERATOR_PATH}/channels`;

export function channelsRoutes({ ask, layout, linksFor }: PageDeps): OperatorPage[] {
  async function page(
    session: Session,
    query: URLSearchParams,
    { notice, watch }: { notice?: Content; watch?: string },
  ): Promise<{ page: string }> {
    const cursor = given({ cursor: query.get('cursor') });
    const channels = await ask(session, 'listNotificationChannels', { query: { ...cursor, limit: '50' } });
    const content = channelsHtml(channels, linksFor(session), session.role !== 'read');
    return {
      page: layout({ title: 'Notifications', session, section: 'Notifications', notice, watch }, content),
    };
  }

  return [
    {
      method: 'GET',
      path,
      role: 'read',
      isLive: true,
      handle: ({ visitor, query, url }) => page(visitor, query, { notice: noticeOf(query), watch: url }),
    },
    {
      // The result of a test is shown once; its address leads back.
      method: 'GET',
      path: `${path}/{channelId}/test`,
      role: 'read',
      handle: async () => ({ location: path }),
    },
    {
      method: 'POST',
      path: `${path}/{channelId}/test`,
      role: 'write',
      async handle({ visitor: session, params, query }) {
        const tested = await ask(session, 'testNotificationChannel', { params });
        return page(session, query, { notice: testedText(tested) });
      },
    },
  ];
}
