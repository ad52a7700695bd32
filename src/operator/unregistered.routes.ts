import { type OperatorPage, type PageDeps, pageIn } from './page-deps.ts';
import type { PastDevicesRepository } from './past-devices.repository.ts';
import { OPERATOR_PATH } from './session.ts';
import { unregisteredHtml } from './unregistered-html.ts';

const path = `${OPERATOR_PATH}/unregistered`;

export interface UnregisteredPageDeps extends PageDeps {
  pastDevices: Pick<PastDevicesRepository, 'listReplacedBySerials'>;
}

export function unregisteredRoutes({ ask, showPage, pastDevices }: UnregisteredPageDeps): OperatorPage[] {
  return [
    showPage({ path, section: 'Fleet', isLive: true }, async (session, { query }) => {
      const devices = await ask(session, 'listUnregisteredDevices', { query: pageIn(query) });
      const content = unregisteredHtml(devices, {
        replaced: await pastDevices.listReplacedBySerials(
          session.organizationId,
          devices.items.map(({ serialNumber }) => serialNumber),
        ),
        mayChange: session.role !== 'read',
      });
      return { title: 'Unregistered devices', content };
    }),
  ];
}
