import { createAlertBatchesRepository } from '../alerts/alert-batches.repository.ts';
import { createAlertEvaluation } from '../alerts/alert-evaluation.service.ts';
import { createAlertStatesRepository } from '../alerts/alert-states.repository.ts';
import { createAlertsRepository } from '../alerts/alerts.repository.ts';
import { alertsRoutes } from '../alerts/alerts.routes.ts';
import { type AlertsServiceDeps, createAlertsService } from '../alerts/alerts.service.ts';
import { createUnannouncedAlertsRepository } from '../alerts/unannounced-alerts.repository.ts';
import type { Resources } from './resources.ts';

export type AlertsNeeds = Pick<AlertsServiceDeps, 'publish'>;

export function composeAlerts({ sql, lagging }: Resources, { publish }: AlertsNeeds) {
  const alertsIn = createAlertBatchesRepository;
  const statesIn = createAlertStatesRepository;
  const unannouncedIn = createUnannouncedAlertsRepository;
  const service = createAlertsService({ alertsIn, unannouncedIn, statesIn, publish });
  const alerts = createAlertsRepository(sql);
  return {
    routes: alertsRoutes({
      alerts: { ...alerts, list: createAlertsRepository(lagging.sql).list },
      alertsIn: createAlertsRepository,
    }),
    removeResolved: alerts.removeResolved,
    evaluate: createAlertEvaluation({ alertsIn, statesIn }),
    /** Of devices that missed their contact. */
    noDataAlerts: {
      open: service.openNoData,
      resolve: service.resolveNoData,
      countUnannounced: service.countUnannounced,
      listUnannounced: service.listUnannounced,
      announce: service.announce,
    },
    onAlertRulesChanged: service.onAlertRulesChanged,
    onArchived: service.onArchived,
  };
}
