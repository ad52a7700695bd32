/** The slices, and the dependencies that each of them gets from the others. */
import { createAuditRepository } from '../audit/audit.repository.ts';
import { auditRoutes } from '../audit/audit.routes.ts';
import { createSubjectsRepository } from '../audit/subjects.repository.ts';
import { createFleetRepository } from '../fleet/fleet.repository.ts';
import { fleetRoutes } from '../fleet/fleet.routes.ts';
import type { RecordAudit } from '../http/audit.ts';
import { inTurns } from '../process/keyed-semaphore.ts';
import { createSharedReads } from '../process/shared-reads.ts';
import { createProfilesRepository } from '../profiles/profiles.repository.ts';
import { profilesRoutes } from '../profiles/profiles.routes.ts';
import { composeAlerts } from './alerts.ts';
import { composeAssets } from './assets.ts';
import { composeCertificates } from './certificates.ts';
import { composeConfigJobs } from './config-jobs.ts';
import { composeDeliveries } from './deliveries.ts';
import { composeDeviceRepositories, composeDevices, composeExchanges } from './devices.ts';
import { composeEndpoints } from './endpoints.ts';
import { composeEscalationRuns, composeEscalations } from './escalations.ts';
import { composeEvents } from './events.ts';
import { composeGroups } from './groups.ts';
import { composeKeys } from './keys.ts';
import { composeMeasurements } from './measurements.ts';
import { composeMutes } from './mutes.ts';
import { composeNotifications } from './notifications.ts';
import { composePresence } from './presence.ts';
import type { Resources } from './resources.ts';
import { composeStatistics } from './statistics.ts';

export type Slices = ReturnType<typeof composeSlices>;

export function composeSlices(resources: Resources) {
  const { devicesIn, configurationsIn } = composeDeviceRepositories(resources);
  const escalationRuns = composeEscalationRuns(resources);
  const { publish, publishToEndpoints, queueAlerts, remindAgain, notifyAgain } = composeEvents(
    resources,
    escalationRuns,
  );

  const alerts = composeAlerts(resources, {
    configurationsIn,
    publish,
    remindAgain,
    holdEscalation: escalationRuns.hold,
  });
  const presence = composePresence(resources, {
    noDataAlerts: alerts.noDataAlerts,
    publish,
  });
  const configJobs = composeConfigJobs(resources, {
    devicesIn,
    configurationsIn,
    publish,
    onAlertRulesChanged: alerts.onAlertRulesChanged,
  });
  const exchanges = composeExchanges(resources, {
    devicesIn,
    recompile: configJobs.recompile,
    recordOutcomes: configJobs.recordOutcomes,
    alertRulesChanged: alerts.resolveTemperatures,
  });
  const measurements = composeMeasurements(resources, {
    devicesIn,
    evaluateAlerts: alerts.evaluate,
    onlineEvents: presence.onlineEvents,
    backWithoutFrame: presence.backWithoutFrame,
    observeContact: presence.observeContact,
    publish: publishToEndpoints,
    queueAlerts,
    exchanges,
  });
  const keys = composeKeys(resources);
  const mutes = composeMutes(resources, {
    async onMuteEnded(tx, organizationId, postponedUntil) {
      await notifyAgain(tx, organizationId, postponedUntil);
      await escalationRuns.resume(tx, organizationId, postponedUntil);
    },
  });
  const groups = composeGroups(resources, { ...configJobs, mutes });
  const assets = composeAssets(resources, {
    groups: groups.membership,
    mutes,
    deviceTokens: keys.deviceTokens,
    devicesIn,
    jobsProgressed: configJobs.jobsProgressed,
    recompile: configJobs.recompile,
    onAlertRulesChanged: alerts.onAlertRulesChanged,
    resolveAlerts: alerts.onArchived,
    resolveConditions: alerts.onReplaced,
  });
  const deliveries = composeDeliveries(resources);
  return {
    keys,
    profiles: composeProfiles(resources),
    presence,
    alerts,
    configJobs,
    groups,
    mutes,
    devices: composeDevices(resources, { devicesIn, exchanges: measurements.intake }),
    measurements,
    assets,
    certificates: composeCertificates(resources, { findAsset: assets.findAsset }),
    endpoints: composeEndpoints(resources, { notifyRecovery: deliveries.notifyRecovery }),
    deliveries,
    fleet: composeFleet(resources),
    notifications: composeNotifications(resources, { ...deliveries, recordAudit }),
    escalations: composeEscalations(resources, escalationRuns),
    audit: composeAudit(resources),
    statistics: composeStatistics(resources, {
      configurationsIn,
      exports: measurements.exports,
    }),
  };
}

const recordAudit: RecordAudit = (sql, entry) => createAuditRepository(sql).insert(entry);

const composeAudit = ({ sql, listTurns }: Resources) => ({
  routes: auditRoutes(inTurns(createAuditRepository(sql), listTurns, 'list'), createSubjectsRepository(sql)),
  record: recordAudit,
});

/** A fleet is counted device by device, and shown on every page of its operators. */
const composeFleet = ({ sql }: Resources) => ({
  routes: fleetRoutes({ count: createSharedReads(createFleetRepository(sql).count) }),
});

const composeProfiles = ({ sql, listTurns }: Resources) => ({
  routes: profilesRoutes({
    profiles: inTurns(createProfilesRepository(sql), listTurns, 'list'),
    profilesIn: createProfilesRepository,
  }),
});
