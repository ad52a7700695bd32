/**
 * The repositories of workers on a real Citus: runs what no request sends, each method once and on rows. Beside a service, a
 * worker would process these rows first. Skipped without CITUS_URL.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createAlertsRepository } from '../../src/alerts/alerts.repository.ts';
import { createUnannouncedAlertsRepository } from '../../src/alerts/unannounced-alerts.repository.ts';
import { createCertificateContentsRepository } from '../../src/certificates/certificate-contents.repository.ts';
import { createConfigJobsRepository } from '../../src/config-jobs/config-jobs.repository.ts';
import { createConfigTargetsRepository } from '../../src/config-jobs/config-targets.repository.ts';
import { createDeviceTargetsRepository } from '../../src/config-jobs/device-targets.repository.ts';
import { createGroupTargetsRepository } from '../../src/config-jobs/group-targets.repository.ts';
import {
  createGroupWithdrawalsRepository,
  type GroupWithdrawal,
} from '../../src/config-jobs/group-withdrawals.repository.ts';
import { createJobRunsRepository } from '../../src/config-jobs/job-runs.repository.ts';
import { createOldJobsRepository } from '../../src/config-jobs/old-jobs.repository.ts';
import { createScheduledDevicesRepository } from '../../src/config-jobs/scheduled-devices.repository.ts';
import { createUnusedConfigurationsRepository } from '../../src/config-jobs/unused-configurations.repository.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { distribute } from '../../src/db/distribute.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { createDeletedEndpointsRepository } from '../../src/deliveries/deleted-endpoints.repository.ts';
import { createUnregisteredDevicesRepository } from '../../src/devices/unregistered-devices.repository.ts';
import { createBreakerRepository } from '../../src/endpoints/breaker.repository.ts';
import { createEndpointHealthRepository } from '../../src/endpoints/endpoint-health.repository.ts';
import { createAlertEscalationsRepository } from '../../src/escalations/alert-escalations.repository.ts';
import { createEscalationChangesRepository } from '../../src/escalations/escalation-changes.repository.ts';
import { createFleetEscalationsRepository } from '../../src/escalations/fleet-escalations.repository.ts';
import { createFleetRepository } from '../../src/fleet/fleet.repository.ts';
import { createMembersRepository } from '../../src/groups/members.repository.ts';
import { removeExpiredAnswers } from '../../src/http/idempotency-keys.repository.ts';
import { createCompactionRepository } from '../../src/measurements/compaction.repository.ts';
import { createMailAddressesRepository } from '../../src/notifications/mail-addresses.repository.ts';
import type { Message } from '../../src/notifications/message.ts';
import { createNotificationAlertsRepository } from '../../src/notifications/notification-alerts.repository.ts';
import {
  type ClaimedNotification,
  createNotificationsRepository,
} from '../../src/notifications/notifications.repository.ts';
import { createIngressAvailabilityRepository } from '../../src/presence/ingress-availability.repository.ts';
import { createOverdueFleetsRepository } from '../../src/presence/overdue-fleets.repository.ts';
import { createPresenceRepository } from '../../src/presence/presence.repository.ts';
import { FIRST_ID, firstIdAt } from '../../src/process/uuid.ts';
import type { ProfileSnapshot } from '../../src/profiles/compile-profile.ts';
import { listFiles } from '../house/sources.ts';
import { newCitusDatabase, skipWithoutCitus } from '../support/citus.ts';

const PAST = new Date('2026-01-01T00:00:00Z');
const LATER = new Date('2026-01-01T12:00:00Z');
const NOW = new Date('2026-01-02T00:00:00Z');
const FUTURE = new Date('2126-01-01T00:00:00Z');

let count = 0;
const nextId = () => `01900000-0000-7000-8000-${String(++count).padStart(12, '0')}`;

const organizationId = nextId();
const [alertId, snoozedAlert, leadingAlert] = [nextId(), nextId(), nextId()];
const [assetId, queuedAsset, failedAsset] = [nextId(), nextId(), nextId()];
const [groupId, configId] = [nextId(), nextId()];
const [policyId, changeId, channelId, ownerId] = [nextId(), nextId(), nextId(), nextId()];
const [dueMessage, claimedMessage, step] = [nextId(), nextId(), nextId()];
const [jobId, oldJob, withdrawalId] = [nextId(), nextId(), nextId()];
const [endpointId, deletedEndpoint, contentId] = [nextId(), nextId(), nextId()];

const ALERT = { organizationId, alertId };
const CHANGE = { organizationId, id: changeId };
const POLICY = { organizationId, policyId };
const CHANNEL = { organizationId, channelId };
const GROUP = { organizationId, groupId };
const JOB = { organizationId, jobId };
const ENDPOINT = { organizationId, endpointId };
const TARGET = { ...ENDPOINT, url: 'http://127.0.0.1:9/' };
const WITHDRAWAL: GroupWithdrawal = {
  ...GROUP,
  withdrawalId,
  lastJobId: jobId,
  reason: 'left',
  isDeletion: false,
  afterAssetId: null,
};
const MESSAGE: Message = {
  subject: 'High temperature',
  data: { text: '', counts: { opened: 0, reminder: 0, resolved: 0, late: 0 }, alerts: [] },
};
const CLAIMED: ClaimedNotification = {
  ...CHANNEL,
  id: claimedMessage,
  content: MESSAGE,
  attemptCount: 0,
  isEscalation: false,
  createdAt: PAST,
  type: 'webhook',
  target: TARGET.url,
  sealedTarget: null,
  secret: null,
};
const MAIL = { addressKey: 'ada@example.com', channelId, kind: 'notification' } as const;
const BYTES = Buffer.from('bytes');
const PLAN = { steps: [{ afterMinutes: 0, channelIds: [] }], repeatMinutes: 30, disabledAt: null };
const CHUNK = { after: FIRST_ID, limit: 10 };
const PAGE = { after: null, limit: 10 };
const DAY = { organizationId, assetId, from: PAST, before: NOW };

const ACKNOWLEDGED = {
  status: 'acknowledged',
  acknowledged_at: PAST,
  acknowledged_by: JSON.stringify({ keyId: null, name: 'Ada' }),
};
const OF_DEVICE = { asset_id: assetId, serial_number: 'DEVICE-1', details: '{}', started_at: PAST };
const OF_CHANNEL = { channel_id: channelId, content: JSON.stringify(MESSAGE), created_at: PAST };
const OF_PROFILE = { profile_slug: 'cold', profile_snapshot: '{}' };
const HOOK = { collection: 'event', name: '', url: TARGET.url, status: 'active', events: ['x'] };

/** Of one organization, in the order of their foreign keys. */
const ROWS: Array<[table: string, row: object]> = [
  ['groups', { id: groupId, name: 'Fridges' }],
  ['assets', { id: assetId, serial_number: 'DEVICE-1', name: '', group_id: groupId }],
  ['assets', { id: queuedAsset, serial_number: 'DEVICE-2', name: '' }],
  ['configurations', { id: configId, content: '{}', last_used_at: PAST }],
  ['configurations', { id: nextId(), content: '{}', last_used_at: PAST }],
  ['device_configs', { asset_id: assetId, pending_config_id: configId, utc_offset_check_at: PAST }],
  ['device_states', { asset_id: assetId, status: 'online', uncompacted_from: PAST }],
  ['overdue_checks', { asset_id: assetId, check_at: PAST }],
  ['alerts', { ...OF_DEVICE, id: alertId, type: 'high_temp' }],
  ['alerts', { ...OF_DEVICE, id: snoozedAlert, type: 'low_temp', ...ACKNOWLEDGED, snooze_until: PAST }],
  ['alerts', { ...OF_DEVICE, id: nextId(), type: 'high_temp', status: 'resolved', updated_at: PAST }],
  [
    'alerts',
    {
      ...OF_DEVICE,
      id: leadingAlert,
      type: 'no_data',
      ...ACKNOWLEDGED,
      snooze_until: FUTURE,
      is_announced: false,
    },
  ],
  ['alerts', { ...OF_DEVICE, id: nextId(), type: 'no_data', is_announced: false }],
  [
    'escalation_policies',
    {
      id: policyId,
      name: 'On call',
      alert_types: ['high_temp', 'no_data'],
      severities: ['critical'],
      group_ids: [],
      steps: JSON.stringify(PLAN.steps),
      channel_ids: [],
      status: 'active',
    },
  ],
  [
    'alert_escalations',
    { alert_id: alertId, policy_id: policyId, began_at: PAST, next_step_at: LATER, muted_until: PAST },
  ],
  ['alert_escalations', { alert_id: leadingAlert, policy_id: policyId, began_at: PAST, next_step_at: LATER }],
  ['escalation_changes', { id: changeId, policy_id: policyId }],
  ['overdue_fleets', { since: PAST, overdue_count: 25, total_count: 25, escalated_alert_id: leadingAlert }],
  [
    'notification_channels',
    {
      id: channelId,
      type: 'webhook',
      target: TARGET.url,
      alert_types: ['high_temp'],
      group_ids: [],
      delay_minutes: 0,
      status: 'active',
    },
  ],
  ['notification_alerts', { alert_id: alertId, channel_id: channelId, kind: 'opening', due_at: PAST }],
  ['notifications', { ...OF_CHANNEL, id: dueMessage, next_attempt_at: PAST }],
  [
    'notifications',
    { ...OF_CHANNEL, id: claimedMessage, next_attempt_at: PAST, leased_by: ownerId, leased_until: PAST },
  ],
  ['notifications', { ...OF_CHANNEL, id: step, is_escalation: true }],
  ['notifications', { ...OF_CHANNEL, id: nextId(), state: 'sent' }],
  ['mail_addresses', { address_key: MAIL.addressKey, link_hash: BYTES, link_expires_at: FUTURE }],
  [
    'sent_mails',
    { id: nextId(), address_key: MAIL.addressKey, channel_id: channelId, kind: MAIL.kind, sent_at: LATER },
  ],
  ['config_jobs', { ...OF_PROFILE, id: jobId, target_count: 2, deadline_at: FUTURE }],
  [
    'config_jobs',
    {
      ...OF_PROFILE,
      id: oldJob,
      status: 'succeeded',
      target_count: 0,
      deadline_at: PAST,
      finished_at: PAST,
    },
  ],
  [
    'config_targets',
    { job_id: jobId, asset_id: assetId, change_config_id: configId, state: 'waiting', group_id: groupId },
  ],
  ['config_targets', { job_id: jobId, asset_id: queuedAsset, change_config_id: configId, state: 'queued' }],
  [
    'config_targets',
    { job_id: jobId, asset_id: failedAsset, change_config_id: configId, state: 'failed', group_id: groupId },
  ],
  [
    'group_withdrawals',
    { id: withdrawalId, group_id: groupId, last_job_id: jobId, reason: 'left', is_deletion: false },
  ],
  ['endpoints', { ...HOOK, id: endpointId, breaker: 'open' }],
  ['endpoints', { ...HOOK, id: deletedEndpoint, deleted_at: PAST }],
  [
    'deliveries',
    {
      endpoint_id: deletedEndpoint,
      id: firstIdAt(new Date()),
      event_id: nextId(),
      event_type: 'x',
      state: 'pending',
    },
  ],
  ['unregistered_devices', { serial_number: 'stranger' }],
  ['certificate_removals', { content_id: contentId, due_at: PAST }],
  ['certificate_chunks', { content_id: contentId, position: 0, content: BYTES }],
  ['idempotency_keys', { key: 'a key', fingerprint: BYTES, status_code: 200, body: BYTES, created_at: PAST }],
];

/** Statements of the method are texts: `citus.test.ts` runs these. */
const TEXT = 'text';
/** Operations call the method: `citus.test.ts` sends every operation. */
const OPERATION = 'operation';

type Call<Repository> = (repository: Repository) => PromiseLike<unknown>;
type Calls<Repository> = { [Method in keyof Repository]: Call<Repository> | typeof TEXT | typeof OPERATION };
type Runs = Array<[name: string, run: (sql: Database) => PromiseLike<unknown>]>;

/** Does not compile while a method is missing. */
const callsOf = <Repository extends object>(
  name: string,
  create: (sql: Database) => Repository,
  calls: Calls<Repository>,
): Runs =>
  Object.entries(calls).flatMap(
    ([method, call]): Runs =>
      typeof call === 'string'
        ? []
        : [[`${method} of ${name}`, (sql) => (call as Call<Repository>)(create(sql))]],
  );

/** Fails unless the statements have found rows, without which later ones would not have been sent. */
async function acts(result: PromiseLike<unknown>): Promise<void> {
  const value = await result;
  assert.ok(Array.isArray(value) ? value.length > 0 : value, 'found no row');
}

const RUNS: Runs = [
  ...callsOf('escalations', createAlertEscalationsRepository, {
    lock: (each) => acts(each.lock(ALERT)),
    recordStep(each) {
      const before = { beganAt: PAST, stepsMade: 0, repeatsMade: 0, lastStepAt: null };
      return each.recordStep(ALERT, before, { ...before, stepsMade: 1, lastStepAt: NOW }, NOW);
    },
    plan: (each) => each.plan(ALERT, { nextStepAt: NOW, mutedUntil: null }),
    setState: (each) => each.setState(ALERT, 'resolved'),
    hold: (each) => acts(each.hold(ALERT, NOW)),
    touchWorkflow: (each) => each.touchWorkflow(ALERT),
    findTitle: (each) => acts(each.findTitle(ALERT)),
    findMutedUntil: (each) => each.findMutedUntil(ALERT, NOW),
    isDue: (each) => acts(each.isDue(ALERT, NOW)),
    listWithoutWorkflow: TEXT,
    planNext: (each) => acts(each.planNext(POLICY, PLAN, CHUNK).then(({ affected }) => affected)),
    endNext: (each) => acts(each.endNext(POLICY, 'policy_deleted', CHUNK).then(({ affected }) => affected)),
    unmuteNext: (each) =>
      acts(
        each
          .unmuteNext({ organizationId, mutedUntil: PAST, now: NOW }, CHUNK)
          .then(({ affected }) => affected),
      ),
    countOpen: (each) => acts(each.countOpen(NOW).then(({ open }) => open)),
  }),
  ...callsOf('changes of escalations', createEscalationChangesRepository, {
    insertPolicy: (each) => each.insertPolicy(POLICY),
    insertMute: (each) => each.insertMute(organizationId, PAST),
    listFirst: (each) => acts(each.listFirst(FIRST_ID, 10, [alertId])),
    lock: (each) => acts(each.lock(CHANGE)),
    advance: (each) => each.advance(CHANGE, alertId),
    remove: (each) => each.remove(CHANGE),
  }),
  ...callsOf('escalations of fleets', createFleetEscalationsRepository, {
    list: (each) => acts(each.list(NOW)),
    lock: (each) => acts(each.lock(organizationId)),
    hasPolicy: (each) => acts(each.hasPolicy(organizationId)),
    release: (each) => each.release(organizationId),
    escalateNext: (each) => acts(each.escalateNext(organizationId, NOW)),
  }),
  ...callsOf('alerts', createAlertsRepository, {
    list: OPERATION,
    listOldestNew: (each) =>
      each.listOldestNew(organizationId, { type: 'no_data', severity: 'critical', limit: 10 }),
    find: OPERATION,
    lock: OPERATION,
    setHandled: OPERATION,
    listSnoozeEnded: (each) => acts(each.listSnoozeEnded(NOW, 10)),
    endSnoozes: (each) => each.endSnoozes(organizationId, [snoozedAlert], NOW),
    countOpen: (each) => acts(each.countOpen()),
    removeResolved: (each) => acts(each.removeResolved(1, 10)),
  }),
  ...callsOf('alerts that are not announced', createUnannouncedAlertsRepository, {
    count: (each) => acts(each.count(organizationId, 10)),
    list: (each) => acts(each.list(organizationId, 10)),
    acknowledgeAs: (each) =>
      acts(each.acknowledgeAs({ organizationId, alertId: leadingAlert }, { after: null, limit: 1 })),
  }),
  ...callsOf('alerts of channels', createNotificationAlertsRepository, {
    listDue: TEXT,
    listAlerts: TEXT,
    markNotified: (each) => each.markNotified(CHANNEL, [alertId], NOW, null),
    postponeToSnoozeEnd: (each) => each.postponeToSnoozeEnd(CHANNEL, [alertId]),
    remindAgain: (each) => each.remindAgain(ALERT, { from: PAST, to: NOW }),
    postponeEach: TEXT,
    notifyAgain: (each) => each.notifyAgain(organizationId, PAST, NOW),
    listMentioned: TEXT,
    markNotNotified: (each) => each.markNotNotified(CHANNEL, [alertId], NOW),
    makeDue: (each) => each.makeDue(CHANNEL, [alertId], NOW),
    remove: (each) => each.remove(CHANNEL, [alertId]),
    postpone: (each) => each.postpone(CHANNEL, NOW, NOW),
    endQuietHours: (each) => each.endQuietHours(CHANNEL, PAST, NOW),
    planReminders: TEXT,
    findOldestDueSeconds: TEXT,
    removeAll: (each) => each.removeAll(CHANNEL),
    removeDue: (each) => each.removeDue(CHANNEL),
  }),
  ...callsOf('notifications', (sql) => createNotificationsRepository(sql, ownerId), {
    listDueChannels: TEXT,
    lockChannel: (each) => acts(each.lockChannel(CHANNEL)),
    insert: (each) => each.insert(CHANNEL, MESSAGE, NOW),
    findContent: (each) => acts(each.findContent({ organizationId, id: dueMessage })),
    insertEscalation: (each) => each.insertEscalation(CHANNEL, MESSAGE, NOW),
    listSteps: (each) => acts(each.listSteps(CHANNEL, 10)),
    releaseSteps: (each) => each.releaseSteps(CHANNEL, [step, dueMessage], MESSAGE, NOW),
    markGathered: (each) => each.markGathered(CHANNEL, NOW),
    markStepsGathered: (each) => each.markStepsGathered(CHANNEL, NOW),
    showError: (each) => each.showError(CHANNEL, 'refused'),
    findWaiting: (each) =>
      acts(each.findWaiting(CHANNEL, NOW).then(({ hasSteps, isDue }) => hasSteps && isDue)),
    claim: (each) => acts(each.claim(CHANNEL, NOW, { leaseSeconds: 60, isForEscalations: false })),
    record: (each) =>
      each.record({ ...CHANNEL, id: claimedMessage, state: 'sent', nextAttemptAt: null, error: null }, NOW),
    release: (each) => each.release(CLAIMED),
    rewrite: (each) => each.rewrite(CLAIMED, MESSAGE),
    withdraw: (each) => each.withdraw(CLAIMED),
    postpone: (each) => each.postpone(CHANNEL, NOW, NOW),
    endQuietHours: (each) => each.endQuietHours(CHANNEL, PAST, NOW),
    dropUnsent: (each) => each.dropUnsent(CHANNEL),
    removeEnded: (each) => acts(each.removeEnded(NOW, 10)),
    findOldestDueSeconds: TEXT,
  }),
  ...callsOf('addresses', createMailAddressesRepository, {
    find: (each) => acts(each.find(organizationId, MAIL.addressKey)),
    setLink: (each) => each.setLink(organizationId, MAIL.addressKey, { hash: BYTES, expiresAt: FUTURE }),
    findByLink: (each) => acts(each.findByLink(organizationId, BYTES, NOW)),
    confirm: (each) => acts(each.confirm(organizationId, BYTES, NOW)),
    lock: (each) => each.lock(organizationId),
    listSent: (each) => acts(each.listSent(organizationId, PAST, NOW)),
    removeSent: (each) => each.removeSent(organizationId, MAIL),
    addSent: (each) => each.addSent(organizationId, MAIL, NOW, LATER),
  }),
  ...callsOf('queues of deleted endpoints', createDeletedEndpointsRepository, {
    cancelQueued: (each) => acts(each.cancelQueued()),
    removeEmptied: (each) => each.removeEmptied(),
  }),
  ...callsOf('breakers', createBreakerRepository, {
    open: (each) => each.open(TARGET, { nextProbeAt: NOW, isOutage: true, recoveredAt: null }),
    beginDrain: (each) => acts(each.beginDrain(TARGET)),
    close: (each) => acts(each.close(ENDPOINT)),
    endDrain: (each) => each.endDrain(ENDPOINT, null),
    findRecoveredAt: (each) => each.findRecoveredAt(ENDPOINT),
    restore: (each) => each.restore(ENDPOINT, true),
    drainIfClosed: (each) => each.drainIfClosed(ENDPOINT),
    probeNow: (each) => each.probeNow(ENDPOINT),
    retryNow: (each) => each.retryNow(ENDPOINT),
    disable: (each) => acts(each.disable(TARGET, 'failing')),
  }),
  ...callsOf('health of endpoints', createEndpointHealthRepository, {
    recordLastAttempts: TEXT,
    findActiveState: (each) => acts(each.findActiveState(TARGET)),
    findRecoveryState: TEXT,
    countByState: TEXT,
    listWithoutWorkflow: (each) => each.listWithoutWorkflow(0, 10),
    touchWorkflow: (each) => each.touchWorkflow(ENDPOINT),
    planWorkflow: (each) => each.planWorkflow(ENDPOINT, null),
    hasRunBy: (each) => each.hasRunBy(ENDPOINT, null),
    clearWorkflow: (each) => each.clearWorkflow(ENDPOINT),
    forgetWorkflows: (each) => each.forgetWorkflows(),
  }),
  ...callsOf('jobs', createConfigJobsRepository, {
    insert: OPERATION,
    find: OPERATION,
    exists: OPERATION,
    list: OPERATION,
    lock: (each) => acts(each.lock(JOB)),
    hasOpenRetry: OPERATION,
    findForWorkflow: (each) => acts(each.findForWorkflow(JOB)),
    countTargets: (each) => acts(each.countTargets(JOB).then(({ waiting }) => waiting)),
    updateStage: (each) => each.updateStage(JOB, 1),
    markBeginningStage: (each) => each.markBeginningStage(JOB),
    markRunning: (each) => each.markRunning(JOB),
    requestCancel: (each) => each.requestCancel(JOB),
    markAborting: (each) => each.markAborting(JOB, 'too many failures'),
    updateDeadline: (each) => each.updateDeadline(JOB, FUTURE),
    finish: async (each) => each.finish(JOB, 'succeeded', await each.countTargets(JOB)),
  }),
  ...callsOf('targets of jobs', createConfigTargetsRepository, {
    insert: TEXT,
    list: OPERATION,
    listAwaited: (each) => each.listAwaited(JOB, 10),
    findSerials: (each) => acts(each.findSerials(organizationId, [assetId])),
    listEnding: (each) => acts(each.listEnding(JOB, 'all', PAGE)),
    listQueued: (each) => acts(each.listQueued(JOB, 1, PAGE)),
    listRetryable: (each) => each.listRetryable(JOB),
    failCrowded: TEXT,
    activateNext: (each) => acts(each.activateNext(JOB, { after: null, limit: 1 })),
    begin: (each) => each.begin(JOB, [queuedAsset]),
    cancelQueued: (each) => each.cancelQueued(JOB, [queuedAsset], 'cancelled'),
    cancel: (each) => each.cancel(JOB, 'all', [assetId, queuedAsset], 'cancelled'),
    timeOut: (each) => each.timeOut(JOB, [assetId, queuedAsset]),
  }),
  ...callsOf('targets of devices', createDeviceTargetsRepository, {
    listActiveSnapshots: TEXT,
    listAlerts: TEXT,
    replaceChanges: TEXT,
    reoffer: TEXT,
    markSent: TEXT,
    confirm: TEXT,
    fail: TEXT,
    listMeeting: TEXT,
    listRetriedJobs: (each) => each.listRetriedJobs(JOB),
    listRetriedChanges: (each) => acts(each.listRetriedChanges(organizationId, [jobId], [assetId])),
    listOthers: (each) => acts(each.listOthers({ organizationId, jobId: oldJob }, [oldJob], [assetId])),
    release: (each) => each.release(organizationId, [jobId], [assetId]),
    supersede: TEXT,
    listOnlyTargetJobs: (each) => each.listOnlyTargetJobs(organizationId, assetId),
    cancelByAsset: (each) => acts(each.cancelByAsset(organizationId, assetId, 'archived')),
    cancelFailedByAsset: (each) => acts(each.cancelFailedByAsset(organizationId, failedAsset, 'archived')),
  }),
  ...callsOf('targets of groups', createGroupTargetsRepository, {
    listActive: (each) => each.listActive({ ...GROUP, lastJobId: jobId }, [assetId], {} as ProfileSnapshot),
    end: (each) => acts(each.end({ ...GROUP, lastJobId: jobId }, [assetId], 'left')),
    endFailed: (each) => acts(each.endFailed({ ...GROUP, lastJobId: jobId }, [failedAsset], 'left')),
  }),
  ...callsOf('withdrawals', createGroupWithdrawalsRepository, {
    insert: (each) => each.insert(GROUP, { reason: 'left', isDeletion: false, createdBy: null }),
    findTitle: (each) => acts(each.findTitle(WITHDRAWAL)),
    listOf: (each) => acts(each.listOf(organizationId)),
    listWithoutWorkflow: (each) => acts(each.listWithoutWorkflow(0, 10)),
    touchWorkflow: (each) => each.touchWorkflow(WITHDRAWAL),
    lock: (each) => acts(each.lock(WITHDRAWAL)),
    saveCursor: (each) => each.saveCursor(WITHDRAWAL, assetId),
    remove: (each) => each.remove(WITHDRAWAL),
  }),
  ...callsOf('runs of jobs', createJobRunsRepository, {
    findTitle: (each) => acts(each.findTitle(JOB)),
    listWithoutWorkflow: (each) => acts(each.listWithoutWorkflow(0, 10)),
    countRunning: (each) => acts(each.countRunning().then(({ running }) => running)),
    touchWorkflow: (each) => each.touchWorkflow(JOB),
  }),
  ...callsOf('old jobs', createOldJobsRepository, {
    list: (each) => acts(each.list(1, 10)),
    removeTargets: TEXT,
    setAside: (each) => each.setAside(JOB, 1),
    removeOrKeep: (each) => each.removeOrKeep(JOB),
  }),
  ...callsOf('devices with a schedule', createScheduledDevicesRepository, {
    listDueForOffsetCheck: (each) => acts(each.listDueForOffsetCheck(NOW, 10)),
    listWithLaterOffsetCheck: (each) => each.listWithLaterOffsetCheck(PAST, 10),
    findTimeZoneRules: (each) => each.findTimeZoneRules(),
    setTimeZoneRules: (each) => each.setTimeZoneRules('2026a'),
    planOffsetChecks: (each) => each.planOffsetChecks(organizationId, [{ assetId, checkAt: NOW }]),
    findZones: (each) => each.findZones(organizationId, [assetId]),
  }),
  ...callsOf('unused configurations', createUnusedConfigurationsRepository, {
    listOrganizations: (each) => acts(each.listOrganizations()),
    listReferred: (each) => acts(each.listReferred(organizationId)),
    markUsed: (each) => each.markUsed(organizationId, [configId]),
    remove: (each) => acts(each.remove(organizationId, 10)),
  }),
  ...callsOf('members of groups', createMembersRepository, {
    listGroups: (each) => acts(each.listGroups(organizationId, [assetId])),
    count: (each) => acts(each.count(GROUP, 10)),
    list: (each) => acts(each.list(organizationId, groupId, PAGE)),
    assign: TEXT,
  }),
  ...callsOf('presence', createPresenceRepository, {
    listDueChecks: TEXT,
    postponeChecks: TEXT,
    markOverdueOffline: TEXT,
    isAnyOverdue: TEXT,
    postponeCheck: (each) => each.postponeCheck({ organizationId, assetId }, NOW),
    countOverdue: TEXT,
  }),
  ...callsOf('overdue fleets', createOverdueFleetsRepository, {
    list: (each) => acts(each.list()),
    insert: (each) => each.insert({ organizationId, since: PAST, overdue: 25, total: 25 }),
    shareLock: (each) => acts(each.shareLock().then(({ size }) => size)),
    lock: (each) => acts(each.lock(organizationId)),
    confirm: (each) => acts(each.confirm(organizationId)),
    remove: (each) => each.remove(organizationId),
  }),
  ...callsOf('outages of an ingress', createIngressAvailabilityRepository, {
    renew: TEXT,
    readAvailability: (each) => each.readAvailability(),
    removeOldOutages: (each) => each.removeOldOutages(),
  }),
  ...callsOf('fleets', createFleetRepository, {
    count: OPERATION,
    countMembers: (each) => acts(each.countMembers(organizationId, groupId)),
    countAll: (each) => acts(each.countAll()),
  }),
  ...callsOf('unregistered devices', createUnregisteredDevicesRepository, {
    removeOutdated: TEXT,
    listOf: OPERATION,
    remove: OPERATION,
    list: (each) => acts(each.list(10)),
  }),
  ...callsOf('compaction', createCompactionRepository, {
    lockCompaction: (each) => acts(each.lockCompaction()),
    lockDue: (each) => acts(each.lockDue(NOW, null, 10)),
    listBlocks: TEXT,
    removeDay: (each) => each.removeDay(DAY),
    leaveDay: (each) => each.leaveDay(DAY),
    insert: TEXT,
    recordCompacted: TEXT,
  }),
  ...callsOf('contents of certificates', createCertificateContentsRepository, {
    insert: OPERATION,
    insertChunk: OPERATION,
    findChunk: OPERATION,
    remove: (each) => each.remove(organizationId, contentId),
    removeDue: (each) => each.removeDue(() => true),
  }),
  ['removeExpiredAnswers', (sql) => acts(removeExpiredAnswers(sql))],
];

describe('Repositories of workers', () => {
  it('runs each repository with statements about all organizations in the test on Citus', () => {
    const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    const own = textOf('test/db/citus-repositories.test.ts');
    const missing = listFiles('src')
      .filter((path) => path.endsWith('.repository.ts') && textOf(path).includes('acrossOrganizations('))
      .filter((path) => !own.includes(path));
    assert.deepEqual(missing, []);
  });

  describe('on Citus', function () {
    this.timeout(240_000);
    let sql: Database;

    before(async function () {
      skipWithoutCitus(this);
      const url = await newCitusDatabase();
      const options = { url, poolSize: 2, statementTimeoutMs: 0, applicationName: 'test' };
      const local = openDatabase(options);
      await migrate(local);
      await distribute(local, () => {});
      await local.destroy();
      sql = openDatabase({ ...options, isDistributed: true });
      await sql('organizations').insert({ id: organizationId, name: 'Acme' });
      for (const [table, row] of ROWS) await sql(table).insert({ organization_id: organizationId, ...row });
    });
    after(() => sql?.destroy());

    /** Each of them finds the same rows. */
    async function runAndUndo(run: Runs[number][1]): Promise<void> {
      const undone = new Error('undone');
      const work = createTransact(sql)(async (tx) => {
        await run(tx.sql);
        throw undone;
      });
      await work.catch((error) => {
        if (error !== undone) throw error;
      });
    }

    it('sends no statement that Citus refuses, from any method', async () => {
      const faults: string[] = [];
      for (const [name, run] of RUNS)
        await runAndUndo(run).catch((error: Error) => faults.push(`${name}: ${error.message}`));
      assert.deepEqual(faults, []);
    });
  });
});
