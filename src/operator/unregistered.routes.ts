import { given, noticeOf, type OperatorPage, type PageDeps } from './page-deps.ts';
import { OPERATOR_PATH } from './session.ts';
import { unregisteredHtml } from './unregistered-html.ts';

const path = `${OPERATOR_PATH}/unregistered`;
const DONE: Record<string, string> = {
  registered: 'The device is registered: what it sends from now on is stored.',
};

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
        const notice = noticeOf(query, DONE);
        const title = 'Unregistered devices';
        return { page: layout({ title, session, section: 'Fleet', watch: url, notice }, content) };
      },
    },
    {
      method: 'POST',
      path: `${path}/register`,
      role: 'write',
      async handle({ visitor: session, form }) {
        const serialNumber = form.get('serialNumber') ?? '';
        const name = form.get('name')?.trim();
        await ask(session, 'registerAsset', { body: { serialNumber, ...(name && { name }) } });
        return { location: `${path}?done=registered` };
      },
    },
  ];
}
