import { UUID } from '../process/uuid.ts';
import { archivedHtml } from './archived-html.ts';
import type { OperatorPage, PageDeps } from './page-deps.ts';
import type { PastDevicesRepository } from './past-devices.repository.ts';
import { OPERATOR_PATH } from './session.ts';

export interface ArchivedPageDeps extends PageDeps {
  pastDevices: PastDevicesRepository;
}

const DEVICES_PER_PAGE = 50;

export const archivedRoutes = ({ layout, pastDevices }: ArchivedPageDeps): OperatorPage[] => [
  {
    method: 'GET',
    path: `${OPERATOR_PATH}/archived`,
    role: 'read',
    async handle({ visitor: session, query }) {
      const q = query.get('q')?.trim() ?? '';
      const cursor = query.get('cursor') ?? '';
      const found = await pastDevices.list(session.organizationId, {
        q: q || null,
        before: UUID.test(cursor) ? cursor : null,
        limit: DEVICES_PER_PAGE + 1,
      });
      const devices = found.slice(0, DEVICES_PER_PAGE);
      const nextCursor = found.length > DEVICES_PER_PAGE ? (devices.at(-1)?.id ?? null) : null;
      const content = archivedHtml({ devices, nextCursor, q });
      return { page: layout({ title: 'Archived devices', session, section: 'Fleet' }, content) };
    },
  },
];
