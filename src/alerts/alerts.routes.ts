import type { Database } from '../db/database.ts';
import type { Shown } from '../http/audit.ts';
import { ok, pageOf, type Route, route } from '../http/route.ts';
import { idParams } from '../http/schemas.ts';
import { conflict, notFound } from '../process/errors.ts';
import { alertView, NO_SUCH_ALERT } from './alert.ts';
import type { AlertsRepository } from './alerts.repository.ts';
import { acknowledgeAlertBody, alertListSchema, alertSchema, listAlertsQuery } from './alerts.schemas.ts';

const tag = 'Alerts';
const auth = 'customer' as const;
const params = idParams('alertId');

export interface AlertsRoutesDeps {
  alerts: AlertsRepository;
  alertsIn(sql: Database): AlertsRepository;
}

export function alertsRoutes({ alerts, alertsIn }: AlertsRoutesDeps): Route[] {
  const shown: Shown = {
    schema: alertSchema,
    async find(sql, organizationId, id) {
      const alert = await alertsIn(sql).find(organizationId, id);
      return alert && alertView(alert);
    },
  };
  return [
    route({
      method: 'GET',
      path: '/alerts',
      operationId: 'listAlerts',
      summary: 'List alerts, newest first',
      description: 'Open and resolved alerts of all devices, or only those of one status or one asset.',
      tag,
      auth,
      query: listAlertsQuery,
      responses: { 200: alertListSchema },
      async handle({ caller, query }) {
        const { status = null, type = null, assetId = null, cursor: before = null, limit } = query;
        const found = await alerts.list(caller.organizationId, {
          status,
          type,
          assetId,
          before,
          limit: limit + 1,
        });
        const page = pageOf(found.alerts, limit, ({ id }) => id);
        const body = {
          recType: 'alert-collection',
          items: page.items.map(alertView),
          totalItems: found.total,
          nextCursor: page.nextCursor,
        };
        return ok(body);
      },
    }),
    route({
      method: 'GET',
      path: '/alerts/{alertId}',
      operationId: 'getAlert',
      summary: 'Get an alert',
      description:
        'An alert keeps its id from the reading or missed contact that opened it until long after it was resolved.',
      tag,
      auth,
      params,
      responses: { 200: alertSchema },
      errors: [404],
      async handle({ caller, params: { alertId } }) {
        const alert = await alerts.find(caller.organizationId, alertId);
        if (!alert) throw notFound(NO_SUCH_ALERT);
        return ok(alertView(alert));
      },
    }),
    route({
      method: 'PATCH',
      path: '/alerts/{alertId}',
      operationId: 'acknowledgeAlert',
      summary: 'Acknowledge an alert',
      description: 'Somebody has seen it. It stays open until the readings end it; 409 when they have.',
      tag,
      auth,
      params,
      body: acknowledgeAlertBody,
      responses: { 200: alertSchema },
      errors: [404, 409],
      audit: { subject: 'alertId', shown },
      handle: ({ caller, params: { alertId }, transact }) =>
        transact(async ({ sql }) => {
          const alert = await alertsIn(sql).acknowledge(caller.organizationId, alertId);
          if (alert) return ok(alertView(alert));
          if (!(await alertsIn(sql).find(caller.organizationId, alertId))) throw notFound(NO_SUCH_ALERT);
          throw conflict('The alert is resolved already');
        }),
    }),
  ];
}
