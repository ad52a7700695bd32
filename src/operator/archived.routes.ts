import { notFound } from '../process/errors.ts';
import { UUID } from '../process/uuid.ts';
import { ARCHIVED_PATH, archivedDeviceHtml, archivedHtml } from './archived-html.ts';
import type { ReadDeviceHistory } from './device-history.service.ts';
import { type OperatorPage, type PageDeps, pageIn } from './page-deps.ts';
import type { PastDevicesRepository } from './past-devices.repository.ts';
import { OPERATOR_PATH } from './session.ts';
import type { ShownAssetsRepository } from './shown-assets.repository.ts';
import { unregisteredHtml } from './unregistered-html.ts';

export interface ArchivedPageDeps extends PageDeps {
  pastDevices: PastDevicesRepository;
  shownAssets: Pick<ShownAssetsRepository, 'listBySerials'>;
  readHistory: ReadDeviceHistory;
}

const DEVICES_PER_PAGE = 50;

/** Pages of devices outside the fleet: archived ones, and those that have yet to be registered. */
export const archivedRoutes = ({
  ask,
  showPage,
  pastDevices,
  shownAssets,
  readHistory,
}: ArchivedPageDeps): OperatorPage[] => [
  showPage({ path: ARCHIVED_PATH, section: 'Fleet', isLive: true }, async (session, { query }) => {
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
    return { title: 'Archived devices', content };
  }),
  showPage(
    { path: `${ARCHIVED_PATH}/{assetId}`, section: 'Fleet', isLive: true },
    async (session, { params: { assetId = '' } }) => {
      const device = UUID.test(assetId) ? await pastDevices.find(session.organizationId, assetId) : null;
      if (device === null) throw notFound('No archived device has this id');
      const { name, serialNumber } = device;
      const entries = await readHistory(session, device);
      const active = await shownAssets.listBySerials(session.organizationId, [serialNumber]);
      const content = archivedDeviceHtml(device, {
        entries,
        successor: active.get(serialNumber.toLowerCase()) ?? null,
        mayChange: session.role !== 'read',
      });
      return { title: name, content };
    },
  ),
  showPage(
    { path: `${OPERATOR_PATH}/unregistered`, section: 'Fleet', isLive: true },
    async (session, { query }) => {
      const devices = await ask(session, 'listUnregisteredDevices', { query: pageIn(query) });
      const content = unregisteredHtml(devices, {
        replaced: await pastDevices.listReplacedBySerials(
          session.organizationId,
          devices.items.map(({ serialNumber }) => serialNumber),
        ),
        mayChange: session.role !== 'read',
      });
      return { title: 'Unregistered devices', content };
    },
  ),
];
