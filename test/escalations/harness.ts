/**
 * Shared by the tests of escalations: an organization with channels, a policy, and devices whose alerts open
 * and end.
 */
import assert from 'node:assert/strict';
import type { WorkflowHandle } from '@temporalio/client';
import { createAlertActionsRepository } from '../../src/alerts/alert-actions.repository.ts';
import { createAlertsRepository } from '../../src/alerts/alerts.repository.ts';
import { createUnannouncedAlertsRepository } from '../../src/alerts/unannounced-alerts.repository.ts';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { createAlertEscalationsRepository } from '../../src/escalations/alert-escalations.repository.ts';
import { createPoliciesRepository } from '../../src/escalations/escalation-policies.repository.ts';
import { createEscalationRun, type EscalationRunDeps } from '../../src/escalations/escalation-run.service.ts';
import { createOrganizationsRepository } from '../../src/keys/organizations.repository.ts';
import type { Message } from '../../src/notifications/message.ts';
import { createNotificationAlertsRepository } from '../../src/notifications/notification-alerts.repository.ts';
import { createChannelsRepository } from '../../src/notifications/notification-channels.repository.ts';
import { createNotificationsRepository } from '../../src/notifications/notifications.repository.ts';
import { escalateAlertId } from '../../src/temporal/workflow-ids.ts';
import { newDevice } from '../notifications/harness.ts';
import type { TestOrganization, TestService } from '../support/service.ts';

/** No server listens there. */
const NOBODY = 'http://127.0.0.1:9/';
const OWNER = '00000000-0000-4000-8000-000000000001';

export interface ShownAlert {
  id: string;
  status: string;
  escalation: { id: string; step: number; nextStepAt: string | null } | null;
  history: Array<{ action: string; by: unknown; comment: string | null }>;
}

export const toCustomer = (dms: TestService, org: TestOrganization) => ({
  /** Creates a channel, named by the last part of its target; returns its id. */
  async channel(name: string, more: object = {}): Promise<string> {
    const body = { type: 'webhook', target: `${NOBODY}${name}`, ...more };
    const { status, body: created, text } = await org.api.post('/notification-channels', body);
    assert.equal(status, 201, text);
    return created.id;
  },

  /** Creates an escalation; returns its id. Each step has its minutes and its channels. */
  async escalation(steps: Array<[number, ...string[]]>, more: object = {}): Promise<string> {
    const { status, body, text } = await org.api.post('/escalations', {
      name: 'On call',
      steps: steps.map(([afterMinutes, ...channelIds]) => ({ afterMinutes, channelIds })),
      ...more,
    });
    assert.equal(status, 201, text);
    return body.id;
  },

  /** Opens an alert by the low battery of a new device; `resolve` ends it. */
  async openAlert(name = 'Cold room'): Promise<{ id: string; resolve(): Promise<void> }> {
    const setBattery = await newDevice(org, name);
    await setBattery('low');
    const { items } = (await org.api.get('/alerts?limit=1')).body;
    return { id: items[0].id, resolve: () => setBattery('ok') };
  },

  show: async (id: string): Promise<ShownAlert> => (await org.api.get(`/alerts/${id}`)).body,

  async acknowledge(id: string, more: object = {}): Promise<void> {
    const { status, text } = await org.api.patch(`/alerts/${id}`, { status: 'acknowledged', ...more });
    assert.equal(status, 200, text);
  },

  /** Mutes the device of an alert; returns a function that ends the mute. */
  async mute(alertId: string, times: { from?: Date; until: Date }): Promise<() => Promise<unknown>> {
    const path = `/assets/${(await org.api.get(`/alerts/${alertId}`)).body.assetId}/mute`;
    const { status, text } = await org.api.post(path, { ...times, reason: 'Defrosting' });
    assert.equal(status, 201, text);
    return () => org.api.delete(path);
  },

  /** Messages of escalations in the outbox, oldest first, with target and subject. */
  async sent(): Promise<Array<{ to: string; subject: string; text: string }>> {
    const rows = await query<{ target: string; content: Message }>(
      dms.service.sql,
      `select c.target, n.content from notifications n
       join notification_channels c on c.organization_id = n.organization_id and c.id = n.channel_id
       where n.organization_id = ? and n.is_escalation order by n.id`,
      [org.id],
    );
    return rows.map(({ target, content }) => ({
      to: target.replace(NOBODY, ''),
      subject: content.subject,
      text: content.data.text,
    }));
  },
});

/** Makes the pass of a run, as a worker does, at the given time. */
export const newRun = (dms: TestService, now: () => Date, more: Partial<EscalationRunDeps> = {}) =>
  createEscalationRun({
    transact: createTransact(dms.service.sql),
    alertsIn: createAlertsRepository,
    actionsIn: createAlertActionsRepository,
    escalationsIn: createAlertEscalationsRepository,
    policiesIn: createPoliciesRepository,
    organizationsIn: createOrganizationsRepository,
    channelsIn: createChannelsRepository,
    unannouncedIn: createUnannouncedAlertsRepository,
    notificationAlertsIn: createNotificationAlertsRepository,
    notificationsIn: (sql) => createNotificationsRepository(sql, OWNER),
    now,
    ...more,
  });

export const runOf = (dms: TestService, alertId: string): WorkflowHandle =>
  dms.service.temporal.client.workflow.getHandle(escalateAlertId(alertId));

/** Fields of the run in the Temporal UI. */
export const detailsOf = async (run: WorkflowHandle): Promise<string> =>
  (await run.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
