/** Commands that call one operation: everything that the OpenAPI document does not say about them. */
import type { OperationId } from '../../client/src/index.ts';

export interface OperationLayout {
  /**
   * The operation. A command for webhooks of both collections calls the second one when the first one does not
   * know the id.
   */
  operation: OperationId | readonly [OperationId, OperationId];
  /** Columns of the table, as paths in an item; only for lists. */
  columns?: readonly string[];
  /** A duration such as 2h lies in the past, not in the future. */
  isPast?: boolean;
  /** Sent as it is; these fields are no options. */
  body?: Readonly<Record<string, unknown>>;
  /** The field of the answer that must be true, else the exit code is 1. */
  succeeded?: string;
}

const ALERT = ['id', 'serialNumber', 'type', 'severity', 'status', 'timestamp', 'endedAt', 'assignee'];
const DELIVERY = [
  'id',
  'eventType',
  'state',
  'attemptCount',
  'nextAttemptAt',
  'lastStatusCode',
  'lastError',
  'createdAt',
];

/** By the words of the command. */
export const OPERATION_LAYOUTS: Readonly<Record<string, OperationLayout>> = {
  'jobs list': {
    operation: 'listConfigJobs',
    columns: [
      'id',
      'profileSlug',
      'status',
      'counts.applied',
      'counts.failed',
      'total',
      'createdAt',
      'deadlineAt',
    ],
  },
  'jobs targets': {
    operation: 'listConfigJobTargets',
    columns: ['serialNumber', 'state', 'reason', 'updatedAt'],
  },
  'jobs proceed': { operation: 'proceedConfigJob' },
  'jobs extend': { operation: 'extendConfigJob' },
  'jobs retry': { operation: 'retryConfigJob' },
  'jobs cancel': { operation: 'cancelConfigJob' },
  'profiles list': { operation: 'listProfiles', columns: ['slug', 'name'] },
  'profiles show': { operation: 'getProfile' },
  'profiles create': { operation: 'createProfile' },
  'profiles change': { operation: 'updateProfile' },
  apply: { operation: 'applyProfile' },
  'alerts list': { operation: 'listAlerts', columns: ALERT },
  'alerts show': { operation: 'getAlert' },
  'alerts acknowledge': { operation: 'acknowledgeAlert', body: { status: 'acknowledged' } },
  'alerts comment': { operation: 'commentAlert' },
  'channels list': {
    operation: 'listNotificationChannels',
    columns: ['id', 'type', 'name', 'target', 'status', 'lastSentAt', 'lastError'],
  },
  'channels show': { operation: 'getNotificationChannel' },
  'channels create': { operation: 'createNotificationChannel' },
  'channels change': { operation: 'updateNotificationChannel' },
  'channels delete': { operation: 'deleteNotificationChannel' },
  'channels test': { operation: 'testNotificationChannel', succeeded: 'delivered' },
  'channels confirm-again': { operation: 'confirmNotificationChannelAgain' },
  'escalations list': {
    operation: 'listEscalations',
    columns: ['id', 'name', 'alertTypes', 'severities', 'repeatMinutes', 'status'],
  },
  'escalations show': { operation: 'getEscalation' },
  'escalations create': { operation: 'createEscalation' },
  'escalations change': { operation: 'updateEscalation' },
  'escalations delete': { operation: 'deleteEscalation' },
  'mute asset': { operation: 'muteAsset' },
  'mute group': { operation: 'muteGroup' },
  'unmute asset': { operation: 'unmuteAsset' },
  'unmute group': { operation: 'unmuteGroup' },
  'assets list': {
    operation: 'listAssets',
    columns: ['serialNumber', 'name', 'status', 'batteryStatus', 'syncStatus', 'openAlerts', 'lastReadingAt'],
  },
  'assets register': { operation: 'registerAsset' },
  'assets change': { operation: 'changeAsset' },
  'assets replace': { operation: 'replaceHardware' },
  'assets withdraw': { operation: 'withdrawDeviceConfig' },
  'assets archive': { operation: 'archiveAsset' },
  'assets issue-token': { operation: 'issueDeviceToken' },
  'assets delete-token': { operation: 'deleteDeviceToken' },
  'unregistered list': {
    operation: 'listUnregisteredDevices',
    columns: ['serialNumber', 'count', 'firstSeenAt', 'lastSeenAt'],
  },
  'unregistered forget': { operation: 'removeUnregisteredDevice' },
  readings: {
    operation: 'listMeasurements',
    columns: ['measuredAt', 'channel', 'position', 'value', 'unit', 'late'],
  },
  export: { operation: 'exportMeasurements' },
  settings: {
    operation: 'listSettings',
    columns: [
      'from',
      'to',
      'profileSlug',
      'measurementPeriodSeconds',
      'transmissionIntervalSeconds',
      'source',
    ],
  },
  statistics: { operation: 'getStatistics' },
  'certificates download': { operation: 'getCalibrationCertificate' },
  'certificates upload': { operation: 'uploadCalibrationCertificate' },
  'fleet show': { operation: 'getFleet' },
  'groups list': { operation: 'listGroups', columns: ['name', 'profileSlug', 'memberCount', 'id'] },
  'groups show': { operation: 'getGroup' },
  'groups create': { operation: 'createGroup' },
  'groups change': { operation: 'updateGroup' },
  'groups delete': { operation: 'deleteGroup' },
  'groups add': { operation: 'addGroupMembers' },
  'groups remove': { operation: 'removeGroupMembers' },
  'webhooks show': { operation: ['getWebhook', 'getCellularWebhook'] },
  'webhooks create': { operation: 'createWebhook' },
  'webhooks create-cellular': { operation: 'createCellularWebhook' },
  'webhooks change': { operation: 'updateWebhook' },
  'webhooks change-cellular': { operation: 'updateCellularWebhook' },
  'webhooks delete': { operation: ['deleteWebhook', 'deleteCellularWebhook'] },
  'webhooks retry': { operation: ['retryWebhook', 'retryCellularWebhook'] },
  'webhooks replay': { operation: ['replayWebhook', 'replayCellularWebhook'], isPast: true },
  'webhooks test': { operation: ['testWebhook', 'testCellularWebhook'], succeeded: 'delivered' },
  'webhooks rotate-secret': { operation: ['rotateWebhookSecret', 'rotateCellularWebhookSecret'] },
  'deliveries list': {
    operation: ['listWebhookDeliveries', 'listCellularWebhookDeliveries'],
    columns: DELIVERY,
  },
  'deliveries show': { operation: ['getWebhookDelivery', 'getCellularWebhookDelivery'] },
  'deliveries resend': { operation: ['resendWebhookDelivery', 'resendCellularWebhookDelivery'] },
  'keys list': {
    operation: 'listKeys',
    columns: ['id', 'name', 'kind', 'role', 'preview', 'createdAt', 'expiresAt', 'lastUsedAt'],
  },
  'keys create': { operation: 'createKey' },
  'keys delete': { operation: 'deleteKey' },
  'links create': { operation: 'createOperatorLink' },
  'sessions list': {
    operation: 'listOperatorSessions',
    columns: ['id', 'name', 'role', 'startedAt', 'expiresAt'],
  },
  'sessions end': { operation: 'endOperatorSession' },
  audit: {
    operation: 'listAudit',
    columns: ['at', 'actor.name', 'action', 'subject', 'subjectName', 'serialNumber'],
  },
};

export const operationsIn = ({ operation }: OperationLayout): OperationId[] =>
  [operation].flat() as OperationId[];
