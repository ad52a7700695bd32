import { createAlertActionsRepository } from '../alerts/alert-actions.repository.ts';
import { createAlertBatchesRepository } from '../alerts/alert-batches.repository.ts';
import { createAlertEvaluation } from '../alerts/alert-evaluation.service.ts';
import { type AlertHandlingDeps, createAlertHandling } from '../alerts/alert-handling.service.ts';
import { createAlertsRepository } from '../alerts/alerts.repository.ts';
import { alertsRoutes } from '../alerts/alerts.routes.ts';
import { type AlertsServiceDeps, createAlertsService } from '../alerts/alerts.service.ts';
import { createLateExcursions } from '../alerts/late-excursions.service.ts';
import { createUnannouncedAlertsRepository } from '../alerts/unannounced-alerts.repository.ts';
import type { Sql } from '../db/database.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import { createSettingsRepository } from '../devices/settings.repository.ts';
import { createSurroundingReadingsRepository } from '../measurements/surrounding-readings.repository.ts';
import { inTurns } from '../process/keyed-semaphore.ts';
import type { DeviceRepositories } from './devices.ts';
import type { Resources } from './resources.ts';

type AlertsNeeds = Pick<AlertsServiceDeps, 'publish'> &
  Pick<DeviceRepositories, 'configurationsIn'> &
  Pick<AlertHandlingDeps, 'remindAgain' | 'holdEscalation'>;

export function composeAlerts(
  resources: Resources,
  { configurationsIn, publish, remindAgain, holdEscalation }: AlertsNeeds,
) {
  const { sql, lagging, listTurns, transact, metrics, now } = resources;
  const batchesIn = createAlertBatchesRepository;
  const unannouncedIn = createUnannouncedAlertsRepository;
  const service = createAlertsService({ batchesIn, unannouncedIn, publish });
  const alerts = createAlertsRepository(sql);
  const handling = createAlertHandling({
    alertsIn: createAlertsRepository,
    actionsIn: createAlertActionsRepository,
    remindAgain,
    holdEscalation,
    publish,
    observe: (severity, seconds) => metrics.acknowledgement.observe({ severity }, seconds),
    onSetAside: resources.onSetAside('snoozed alerts'),
    transact,
    now,
  });
  const evaluateLate = createLateExcursions({
    batchesIn,
    settingsIn: (on) => createSettingsRepository(on, configurationsIn(on)),
    readingsIn: createSurroundingReadingsRepository,
  });
  return {
    routes: alertsRoutes({
      sql,
      alerts: inTurns(createAlertsRepository(lagging.sql), listTurns, 'list'),
      alertsIn: createAlertsRepository,
      handling,
    }),
    endSnoozes: handling.endSnoozes,
    removeResolved: alerts.removeResolved,
    evaluate: createAlertEvaluation({ batchesIn, evaluateLate }),
    /** Alerts of devices that missed their contact. */
    noDataAlerts: {
      open: service.openNoData,
      resolve: service.resolveNoData,
      unannouncedIn,
      listUnannounced: (on: Sql, devices: AssetRef[]) => batchesIn(on).listUnannounced(devices),
      announce: service.announce,
    },
    onAlertRulesChanged: service.onAlertRulesChanged,
    resolveTemperatures: service.resolveTemperatures,
    onReplaced: service.onReplaced,
    onArchived: service.onArchived,
  };
}
