import { assetView } from '../assets/asset.ts';
import { createAssetsRepository } from '../assets/assets.repository.ts';
import { createIngressAvailabilityRepository } from '../presence/ingress-availability.repository.ts';
import type { Ingress } from '../presence/ingress-availability.ts';
import { createPresenceRepository } from '../presence/presence.repository.ts';
import { createPresenceService, type PresenceServiceDeps } from '../presence/presence.service.ts';
import { type Periodic, startPeriodic } from '../process/periodic.ts';
import type { Resources } from './resources.ts';

const HEARTBEAT_EVERY_MS = 10_000;

export type PresenceNeeds = Pick<PresenceServiceDeps, 'openNoDataAlerts' | 'resolveNoDataAlerts' | 'publish'>;

export function composePresence({ sql, transact, now, log }: Resources, needs: PresenceNeeds) {
  const { openNoDataAlerts, resolveNoDataAlerts, publish } = needs;
  const availability = createIngressAvailabilityRepository(sql);
  const { sweepOffline, onlineEvents, onCameOnline } = createPresenceService({
    transact,
    presenceIn: createPresenceRepository,
    readAvailability: availability.readAvailability,
    assetsIn: (sql) => ({
      async listViews(devices) {
        const assets = await createAssetsRepository(sql).listByIds(devices);
        return assets.map(({ organizationId, ...asset }) => ({ organizationId, view: assetView(asset) }));
      },
    }),
    openNoDataAlerts,
    resolveNoDataAlerts,
    publish,
    now,
  });
  return {
    sweepOffline,
    onlineEvents,
    onCameOnline,
    removeOldOutages: availability.removeOldOutages,
    /** For as long as a process receives from devices: see presence/ingress-availability.ts. */
    startIngressHeartbeat: (ingress: Ingress): Periodic =>
      startPeriodic(
        HEARTBEAT_EVERY_MS,
        () => availability.renew(ingress),
        (err) => log.warn({ err }, `The heartbeat of the ${ingress} was not recorded: it is tried again`),
      ),
  };
}
