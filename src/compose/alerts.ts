import { createAlertStatesRepository } from '../alerts/alert-states.repository.ts';
import { createAlertsRepository } from '../alerts/alerts.repository.ts';
import { alertsRoutes } from '../alerts/alerts.routes.ts';
import { type AlertsServiceDeps, createAlertsService } from '../alerts/alerts.service.ts';
import { createAssetsRepository } from '../assets/assets.repository.ts';
import type { Resources } from './resources.ts';

export interface AlertsNeeds {
  publish: AlertsServiceDeps['publish'];
  availability: AlertsServiceDeps['listeners'];
}

export function composeAlerts({ sql, transact, now }: Resources, { publish, availability }: AlertsNeeds) {
  const { evaluate, markOnline, onAlertRulesChanged, archived, sweepOffline } = createAlertsService({
    transact,
    alertsIn: createAlertsRepository,
    statesIn: createAlertStatesRepository,
    assetsIn: createAssetsRepository,
    listeners: availability,
    publish,
    now,
  });
  return {
    routes: alertsRoutes(createAlertsRepository(sql)),
    evaluate,
    markOnline,
    onAlertRulesChanged,
    archived,
    sweepOffline,
  };
}
