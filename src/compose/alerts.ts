import { createAlertEvaluation } from '../alerts/alert-evaluation.service.ts';
import { createAlertStatesRepository } from '../alerts/alert-states.repository.ts';
import { createAlertsRepository } from '../alerts/alerts.repository.ts';
import { alertsRoutes } from '../alerts/alerts.routes.ts';
import { type AlertsServiceDeps, createAlertsService } from '../alerts/alerts.service.ts';
import type { Resources } from './resources.ts';

export type AlertsNeeds = Pick<AlertsServiceDeps, 'publish'>;

export function composeAlerts({ sql }: Resources, { publish }: AlertsNeeds) {
  const alertsIn = createAlertsRepository;
  const statesIn = createAlertStatesRepository;
  const service = createAlertsService({ alertsIn, statesIn, publish });
  const alerts = createAlertsRepository(sql);
  return {
    routes: alertsRoutes(alerts),
    removeResolved: alerts.removeResolved,
    evaluate: createAlertEvaluation({ alertsIn, statesIn }),
    openNoData: service.openNoData,
    resolveNoData: service.resolveNoData,
    onAlertRulesChanged: service.onAlertRulesChanged,
    onArchived: service.onArchived,
  };
}
