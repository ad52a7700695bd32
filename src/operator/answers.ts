/** What the operations that the pages call answer with, by operation id. */
import type { AlertView } from '../alerts/alert.ts';
import type { AlertActionView } from '../alerts/alert-history.ts';
import type { assetDetailView, ListedAssetView } from '../assets/asset.ts';
import type { ImportedAssets } from '../assets/asset-import.service.ts';
import type { Preview } from '../config-jobs/compile-devices.ts';
import type { JobView, targetView } from '../config-jobs/config-job.ts';
import type { deliveryDetailView, deliveryView } from '../deliveries/delivery.ts';
import type { DeviceConfigView } from '../devices/device.ts';
import type { cellularWebhookView, eventWebhookView } from '../endpoints/endpoint.ts';
import type { PolicyView } from '../escalations/escalation-policy.ts';
import type { MuteView } from '../mutes/mute.ts';
import type { channelView } from '../notifications/notification-channel.ts';
import type { SettingsView } from '../statistics/settings-view.ts';
import type { StatisticsView } from '../statistics/statistics-view.ts';
import type { BucketView, ReadingView } from './curve.ts';

interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

export type TargetView = ReturnType<typeof targetView>;
export type ChannelView = ReturnType<typeof channelView>;
export type EscalationView = PolicyView;
export type DeliveryView = ReturnType<typeof deliveryView>;
export type DeliveryDetailView = ReturnType<typeof deliveryDetailView>;
type EventWebhookView = ReturnType<typeof eventWebhookView>;
type CellularWebhookView = ReturnType<typeof cellularWebhookView>;
/** Of either collection: each has fields that the other one lacks. */
export type WebhookView = (EventWebhookView | CellularWebhookView) &
  Partial<Pick<EventWebhookView, 'events'> & Pick<CellularWebhookView, 'name' | 'deliverConfigApplied'>>;

/** The result of a test of a webhook or a channel. */
export interface TestedView {
  delivered: boolean;
  statusCode: number | null;
  durationMs: number;
  error: string | null;
}

export interface FleetView {
  status: Record<string, number>;
  syncStatus: Record<string, number>;
  noProfile: number;
  batteryStatus: Record<string, number>;
  openAlerts: Record<string, number>;
  endpoints: Record<string, number>;
  unregisteredDevices: number;
}

export interface UnregisteredView {
  serialNumber: string;
  firstSeenAt: string;
  lastSeenAt: string;
  count: number;
}

export interface AppliedView {
  profileSlug: string;
  appliedCount: number;
  jobId: string | null;
  /** Set by a dry run only. */
  preview?: Preview[];
}

export interface Answers {
  getFleet: FleetView;
  listUnregisteredDevices: Page<UnregisteredView>;
  registerAsset: { id: string };
  importAssets: ImportedAssets;
  removeUnregisteredDevice: undefined;
  listAssets: Page<ListedAssetView> & { totalItems: number };
  getAsset: ReturnType<typeof assetDetailView>;
  listMeasurements: Page<ReadingView | BucketView>;
  getStatistics: StatisticsView;
  listSettings: Page<SettingsView>;
  getDeviceConfig: DeviceConfigView;
  withdrawDeviceConfig: DeviceConfigView;
  muteAsset: MuteView;
  muteGroup: MuteView;
  unmuteAsset: undefined;
  listProfiles: { profiles: Array<{ slug: string; name: string }> };
  applyProfile: AppliedView;
  listConfigJobs: Page<JobView>;
  getConfigJob: JobView;
  cancelConfigJob: JobView;
  retryConfigJob: JobView;
  listConfigJobTargets: Page<TargetView>;
  listAlerts: Page<AlertView> & { totalItems: number };
  getAlert: AlertView & { history: AlertActionView[] };
  commentAlert: AlertActionView;
  acknowledgeAlert: AlertView;
  listWebhooks: { items: WebhookView[] };
  listCellularWebhooks: { items: WebhookView[] };
  listNotificationChannels: Page<ChannelView>;
  testNotificationChannel: TestedView;
  confirmNotificationChannelAgain: ChannelView;
  listEscalations: Page<EscalationView>;
  createEscalation: EscalationView;
  getEscalation: EscalationView;
  updateEscalation: EscalationView;
  deleteEscalation: undefined;
  getWebhook: WebhookView;
  getCellularWebhook: WebhookView;
  testWebhook: TestedView;
  testCellularWebhook: TestedView;
  updateWebhook: WebhookView;
  updateCellularWebhook: WebhookView;
  replayWebhook: { queued: number };
  replayCellularWebhook: { queued: number };
  listWebhookDeliveries: Page<DeliveryView>;
  listCellularWebhookDeliveries: Page<DeliveryView>;
  getWebhookDelivery: DeliveryDetailView;
  getCellularWebhookDelivery: DeliveryDetailView;
  resendWebhookDelivery: DeliveryView;
  resendCellularWebhookDelivery: DeliveryView;
}
