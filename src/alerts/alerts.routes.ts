import type { Database } from '../db/database.ts';
import { shownAs } from '../http/audit.ts';
import { actorOf, created, ok, pageOf, type Route, route } from '../http/route.ts';
import { idParams } from '../http/schemas.ts';
import { orNotFound } from '../process/errors.ts';
import { alertView, NO_SUCH_ALERT } from './alert.ts';
import type { AlertHandling, AlertWithHistory } from './alert-handling.service.ts';
import { actionView } from './alert-history.ts';
import type { AlertsRepository } from './alerts.repository.ts';
import {
  acknowledgeAlertBody,
  alertActionSchema,
  alertListSchema,
  alertSchema,
  alertWithHistorySchema,
  commentAlertBody,
  listAlertsQuery,
} from './alerts.schemas.ts';

const tag = 'Alerts';
const params = idParams('alertId');

interface AlertsRoutesDeps {
  sql: Database;
  alerts: Pick<AlertsRepository, 'list'>;
  alertsIn(sql: Database): Pick<AlertsRepository, 'find'>;
  handling: AlertHandling;
}

export function alertsRoutes({ sql, alerts, alertsIn, handling }: AlertsRoutesDeps): Route[] {
  /** Leaves out the history, which only grows. */
  const shown = shownAs(
    alertSchema,
    (sql, organizationId, id) => alertsIn(sql).find(organizationId, id),
    alertView,
  );
  return [
    route({
      method: 'GET',
      path: '/alerts',
      operationId: 'listAlerts',
      summary: 'List alerts, newest first',
      description:
        'Open and resolved alerts of all devices, or only those of one status, one asset or one group.',
      tag,
      query: listAlertsQuery,
      responses: { 200: alertListSchema },
      async handle({ caller, query: { limit, cursor: before = null, ...filter } }) {
        const found = await alerts.list(caller.organizationId, { ...filter, before, limit: limit + 1 });
        const page = pageOf(found.alerts, limit, ({ id }) => id, alertView);
        return ok({ recType: 'alert-collection', ...page, totalItems: found.total });
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
      params,
      responses: { 200: alertWithHistorySchema },
      errors: [404],
      async handle({ caller, params: { alertId } }) {
        const alert = orNotFound(await handling.find(sql, caller.organizationId, alertId), NO_SUCH_ALERT);
        return ok(withHistoryView(alert));
      },
    }),
    route({
      method: 'PATCH',
      path: '/alerts/{alertId}',
      operationId: 'acknowledgeAlert',
      summary: 'Acknowledge an alert',
      description:
        'Somebody has it in hand: reminders end, and channels that have not notified it yet do not. It stays open until the readings end it; 409 when they have. With snoozeUntil it is new again at that time, and reminders go on. May be repeated to comment, to assign, or to snooze anew.',
      tag,
      params,
      body: acknowledgeAlertBody,
      responses: { 200: alertWithHistorySchema },
      errors: [404, 409],
      // Each comment is added to the history.
      idempotent: true,
      audit: { subject: 'alertId', shown },
      handle: ({ caller, params: { alertId }, body, transact }) =>
        transact(async (tx) => {
          const by = actorOf(caller);
          const { organizationId } = caller;
          return ok(withHistoryView(await handling.acknowledge(tx, organizationId, alertId, by, body)));
        }),
    }),
    route({
      method: 'POST',
      path: '/alerts/{alertId}/comments',
      operationId: 'commentAlert',
      summary: 'Comment on an alert',
      description: 'Open or resolved. Comments are never changed or deleted, but with the alert itself.',
      tag,
      params,
      body: commentAlertBody,
      responses: { 201: alertActionSchema },
      errors: [404, 409],
      audit: { subject: 'alertId', after: ({ comment }) => ({ comment }) },
      handle: ({ caller, params: { alertId }, body: { comment }, transact }) =>
        transact(async (tx) => {
          const by = actorOf(caller);
          return created(actionView(await handling.comment(tx, caller.organizationId, alertId, by, comment)));
        }),
    }),
  ];
}

const withHistoryView = ({ history, ...alert }: AlertWithHistory) => ({
  ...alertView(alert),
  history: history.map(actionView),
});
