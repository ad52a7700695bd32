import { assetView } from '../assets/asset.ts';
import { createAssetsRepository } from '../assets/assets.repository.ts';
import { createFleetSilencesRepository } from '../presence/fleet-silences.repository.ts';
import { createIngressAvailabilityRepository } from '../presence/ingress-availability.repository.ts';
import type { Ingress } from '../presence/ingress-availability.ts';
import { createIngressHearing } from '../presence/ingress-hearing.ts';
import { createPresenceRepository } from '../presence/presence.repository.ts';
import { createPresenceService, type PresenceServiceDeps } from '../presence/presence.service.ts';
import { type Periodic, startPeriodic } from '../process/periodic.ts';
import type { Resources } from './resources.ts';

const HEARTBEAT_EVERY_MS = 10_000;

export type PresenceNeeds = Pick<PresenceServiceDeps, 'noDataAlerts' | 'publish'>;

export function composePresence(resources: Resources, { noDataAlerts, publish }: PresenceNeeds) {
  const { sql, transact, now, log } = resources;
  const hearing = createIngressHearing();
  const availability = createIngressAvailabilityRepository(sql);
  const { sweepOffline, onlineEvents, onCameOnline } = createPresenceService({
    sql,
    transact,
    presenceIn: createPresenceRepository,
    silencesIn: createFleetSilencesRepository,
    readAvailability: availability.readAvailability,
    assetsIn: (sql) => ({
      async listViews(devices) {
        const assets = await createAssetsRepository(sql).listByIds(devices);
        return assets.map(({ organizationId, ...asset }) => ({ organizationId, view: assetView(asset) }));
      },
    }),
    noDataAlerts,
    onFleetSilent: ({ organizationId, ...counts }) =>
      log.error(
        { organizationId, ...counts },
        'A fleet is silent: its devices go offline without events until it is over or confirmed (dms fleet confirm)',
      ),
    onFleetHeard: ({ organizationId }) => log.info({ organizationId }, 'The silence of a fleet has ended'),
    publish,
    now,
  });
  return {
    sweepOffline,
    onlineEvents,
    onCameOnline,
    removeOldOutages: availability.removeOldOutages,
    hear: hearing.hear,
    /** For as long as a process receives from devices: see presence/ingress-availability.ts. */
    startIngressHeartbeat: (ingress: Ingress): Periodic =>
      startPeriodic(
        HEARTBEAT_EVERY_MS,
        async () => {
          if (hearing.hears()) await availability.renew(ingress);
          else log.error(`The ${ingress} refuses all that devices send: their deadlines are paused`);
        },
        (err) => log.warn({ err }, `The heartbeat of the ${ingress} was not recorded: it is tried again`),
      ),
  };
}
