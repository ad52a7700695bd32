/** Answers of the operations that pages call, by operation id. */
import type { AlertView } from '../alerts/alert.ts';
import type { AlertActionView } from '../alerts/alert-history.ts';
import type { assetDetailView, ListedAssetView } from '../assets/asset.ts';
import type { ImportedAssets } from '../assets/asset-import.service.ts';
import type { auditEntryView } from '../audit/audit.ts';
import type { Preview } from '../config-jobs/compile-devices.ts';
import type { JobView, targetView } from '../config-jobs/config-job.ts';
import type { AttemptResult, deliveryDetailView, deliveryView } from '../deliveries/delivery.ts';
import type { DeviceConfigView } from '../devices/device.ts';
import type { unregisteredView } from '../devices/unregistered-devices.routes.ts';
import type { cellularWebhookView, eventWebhookView } from '../endpoints/endpoint.ts';
import type { PolicyView } from '../escalations/escalation-policy.ts';
import type { groupView } from '../groups/group.ts';
import type { Page } from '../http/route.ts';
import type { keyView } from '../keys/api-key.ts';
import type { channelView } from '../notifications/notification-channel.ts';
import type { profileView } from '../profiles/profile.ts';
import type { SettingsView } from '../statistics/settings-view.ts';
import type { StatisticsView } from '../statistics/statistics-view.ts';
import type { BucketView, ReadingView } from './curve.ts';
import type { sessionView } from './sessions.routes.ts';

export type TargetView = ReturnType<typeof targetView>;
export type ChannelView = ReturnType<typeof channelView>;
export type EscalationView = PolicyView;
export type GroupView = ReturnType<typeof groupView>;
export type ProfileView = ReturnType<typeof profileView>;
export type AuditEntryView = ReturnType<typeof auditEntryView>;
type KeyView = ReturnType<typeof keyView>;
type SessionView = ReturnType<typeof sessionView>;
export type UnregisteredView = ReturnType<typeof unregisteredView>;
export type DeliveryView = ReturnType<typeof deliveryView>;
export type DeliveryDetailView = ReturnType<typeof deliveryDetailView>;
type EventWebhookView = ReturnType<typeof eventWebhookView>;
type CellularWebhookView = ReturnType<typeof cellularWebhookView>;
/** A webhook of either collection: each has fields that the other one lacks. */
export type WebhookView = (EventWebhookView | CellularWebhookView) &
  Partial<Pick<EventWebhookView, 'events'> & Pick<CellularWebhookView, 'name' | 'deliverConfigApplied'>>;

/** The result of a test of a webhook or a channel. */
export interface TestedView extends Pick<AttemptResult, 'statusCode' | 'durationMs' | 'error'> {
  delivered: boolean;
}

export interface AppliedView {
  profileSlug: string;
  appliedCount: number;
  jobId: string | null;
  /** Set by a dry run only. */
  preview?: Preview[];
}

export interface Answers {
  listGroups: Page<GroupView>;
  createGroup: GroupView;
  getGroup: GroupView;
  addGroupMembers: { added: number; jobId: string | null };
  getProfile: { profile: ProfileView };
  listKeys: Page<KeyView>;
  listOperatorSessions: Page<SessionView>;
  listAudit: Page<AuditEntryView>;
  listUnregisteredDevices: Page<UnregisteredView>;
  registerAsset: { id: string };
  importAssets: ImportedAssets;
  listAssets: Page<ListedAssetView> & { totalItems: number };
  getAsset: ReturnType<typeof assetDetailView>;
  listMeasurements: Page<ReadingView | BucketView>;
  getStatistics: StatisticsView;
  listSettings: Page<SettingsView>;
  getDeviceConfig: DeviceConfigView;
  withdrawDeviceConfig: DeviceConfigView;
  listProfiles: { profiles: ProfileView[] };
  applyProfile: AppliedView;
  listConfigJobs: Page<JobView>;
  getConfigJob: JobView;
  listConfigJobTargets: Page<TargetView>;
  listAlerts: Page<AlertView> & { totalItems: number };
  getAlert: AlertView & { history: AlertActionView[] };
  acknowledgeAlert: AlertView;
  listWebhooks: { items: WebhookView[] };
  listCellularWebhooks: { items: WebhookView[] };
  listNotificationChannels: Page<ChannelView>;
  testNotificationChannel: TestedView;
  listEscalations: Page<EscalationView>;
  getEscalation: EscalationView;
  getWebhook: WebhookView;
  getCellularWebhook: WebhookView;
  testWebhook: TestedView;
  testCellularWebhook: TestedView;
  listWebhookDeliveries: Page<DeliveryView>;
  listCellularWebhookDeliveries: Page<DeliveryView>;
  getWebhookDelivery: DeliveryDetailView;
  getCellularWebhookDelivery: DeliveryDetailView;
}
