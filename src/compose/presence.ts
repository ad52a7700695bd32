import { assetView } from '../assets/asset.ts';
import { createDeviceAssetsRepository } from '../assets/assets.repository.ts';
import { createFleetEscalationsRepository } from '../escalations/fleet-escalations.repository.ts';
import { createIngressAvailabilityRepository } from '../presence/ingress-availability.repository.ts';
import type { Ingress } from '../presence/ingress-availability.ts';
import { createIntakeHealth } from '../presence/intake-health.ts';
import { createOverdueFleetsRepository } from '../presence/overdue-fleets.repository.ts';
import { createOverdueFleetsService, type OverdueFleetsDeps } from '../presence/overdue-fleets.service.ts';
import { createPresenceRepository } from '../presence/presence.repository.ts';
import { createPresenceService, type PresenceServiceDeps } from '../presence/presence.service.ts';
import { type Periodic, startPeriodic } from '../process/periodic.ts';
import type { Resources } from './resources.ts';

const HEARTBEAT_EVERY_MS = 10_000;
/** Logs once a minute that the intake refuses messages. */
const HEARTBEATS_PER_LINE = 6;

type PresenceNeeds = Pick<PresenceServiceDeps, 'publish'> & {
  noDataAlerts: PresenceServiceDeps['noDataAlerts'] & OverdueFleetsDeps['noDataAlerts'];
};

export function composePresence(resources: Resources, { noDataAlerts, publish }: PresenceNeeds) {
  const { sql, transact, now, log } = resources;
  const health = createIntakeHealth();
  const availability = createIngressAvailabilityRepository(sql);
  const { sweepOffline, onlineEvents, offlineEvents, backWithoutFrame } = createPresenceService({
    transact,
    presenceIn: createPresenceRepository,
    overdueFleetsIn: createOverdueFleetsRepository,
    readAvailability: availability.readAvailability,
    assetsIn: (sql) => ({
      async listViews(devices) {
        const assets = await createDeviceAssetsRepository(sql).list(devices);
        return assets.map(({ organizationId, ...asset }) => ({ organizationId, view: assetView(asset) }));
      },
    }),
    noDataAlerts,
    beginOverdueFleets: (look) => fleets.beginNew(sql, look),
    endOverdueFleets: (look) => fleets.endPassed(sql, look),
    publish,
    now,
    onSetAside: resources.onSetAside('overdue devices'),
  });
  const fleets = createOverdueFleetsService({
    transact,
    presenceIn: createPresenceRepository,
    overdueFleetsIn: createOverdueFleetsRepository,
    noDataAlerts,
    escalationsIn: createFleetEscalationsRepository,
    offlineEvents,
    publish,
    onBegan: ({ organizationId, ...counts }) =>
      log.error(
        { organizationId, ...counts },
        'A fleet is overdue: its devices go offline without events until it is over or confirmed (dms fleet confirm)',
      ),
    onEnded: ({ organizationId }) => log.info({ organizationId }, 'A fleet is not overdue any more'),
  });
  return {
    sweepOffline,
    onlineEvents,
    backWithoutFrame,
    removeOldOutages: availability.removeOldOutages,
    observeContact: health.observeContact,
    /** Runs while a process receives messages of devices: see presence/ingress-availability.ts. */
    startIngressHeartbeat(ingress: Ingress): Periodic {
      let leftOut = 0;
      return startPeriodic(
        HEARTBEAT_EVERY_MS,
        async () => {
          if (health.isHealthy()) {
            leftOut = 0;
            await availability.renew(ingress);
          } else if (leftOut++ % HEARTBEATS_PER_LINE === 0)
            log.error(`The ${ingress} refuses all that devices send: their deadlines are paused`);
        },
        (err) => log.warn({ err }, `The heartbeat of the ${ingress} was not recorded: it is tried again`),
      );
    },
  };
}
