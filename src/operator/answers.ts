/** What the operations that the pages call answer with, by operation id. */
import type { AlertView } from '../alerts/alert.ts';
import type { assetDetailView, ListedAssetView } from '../assets/asset.ts';
import type { ImportedAssets } from '../assets/asset-import.service.ts';
import type { JobView, TargetState } from '../config-jobs/config-job.ts';
import type { deliveryDetailView, deliveryView } from '../deliveries/delivery.ts';
import type { DeviceConfigView } from '../devices/device.ts';
import type { BucketView, ReadingView } from './curve.ts';

interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

export interface TargetView {
  assetId: string;
  serialNumber: string;
  state: TargetState;
  reason: string | null;
  updatedAt: string;
}

export interface WebhookView {
  id: string;
  recType: 'webhook' | 'cellular-webhook';
  name?: string;
  url: string;
  status: 'active' | 'disabled';
  disabledReason: string | null;
  events?: string[];
  deliverConfigApplied?: boolean;
  createdAt: string;
  delivery: {
    lastDeliveredAt: string | null;
    lastAttemptAt: string | null;
    lastStatus: string | null;
    lastStatusCode: number | null;
    lastError: string | null;
  };
  health: {
    state: 'healthy' | 'failing' | 'recovering' | 'disabled';
    since: string | null;
    backlog: number;
    oldestPendingAt: string | null;
    nextAttemptAt: string | null;
  };
}

export interface ChannelView {
  id: string;
  type: 'email' | 'slack' | 'webhook';
  target: string;
  alertTypes: string[];
  delayMinutes: number;
  reminderMinutes: number | null;
  status: 'active' | 'disabled';
  lastSentAt: string | null;
  lastError: string | null;
}

export interface TestedView {
  delivered: boolean;
  statusCode: number | null;
  durationMs: number;
  error: string | null;
}

export interface StatisticsView {
  channels: Array<{
    channel: number;
    position: string | null;
    type: string;
    unit: string;
    count: number;
    min: number | null;
    avg: number | null;
    max: number | null;
    meanKineticTemperature: number | null;
    alerts: Array<{ type: string; lowC: number | null; highC: number | null; secondsOutside: number }>;
    gaps: Array<{ from: string; to: string }>;
    gapCount: number;
  }>;
}

export interface FleetView {
  status: Record<string, number>;
  syncStatus: Record<string, number>;
  batteryStatus: Record<string, number>;
  openAlerts: Record<string, number>;
  endpoints: Record<string, number>;
  unregisteredDevices: number;
}

export interface AppliedView {
  profileSlug: string;
  appliedCount: number;
  jobId: string | null;
  preview?: Array<{ config: unknown; deviceCount: number; warnings: string[] }>;
}

/** Registered devices carry more where the list knows it. */
export type DeviceView = ListedAssetView & { syncStatus?: string; openAlerts?: number };

export interface UnregisteredView {
  serialNumber: string;
  firstSeenAt: string;
  lastSeenAt: string;
  count: number;
}

export interface Answers {
  getFleet: FleetView;
  listUnregisteredDevices: Page<UnregisteredView>;
  registerAsset: { id: string };
  importAssets: ImportedAssets;
  removeUnregisteredDevice: undefined;
  listAssets: Page<DeviceView> & { totalItems: number };
  getAsset: ReturnType<typeof assetDetailView>;
  listMeasurements: Page<ReadingView | BucketView>;
  getStatistics: StatisticsView;
  getDeviceConfig: DeviceConfigView;
  listProfiles: { profiles: Array<{ slug: string; name: string }> };
  applyProfile: AppliedView;
  listConfigJobs: Page<JobView>;
  getConfigJob: JobView;
  cancelConfigJob: JobView;
  retryConfigJob: JobView;
  listConfigJobTargets: Page<TargetView>;
  listAlerts: Page<AlertView> & { totalItems: number };
  acknowledgeAlert: AlertView;
  listWebhooks: { items: WebhookView[] };
  listCellularWebhooks: { items: WebhookView[] };
  listNotificationChannels: Page<ChannelView>;
  testNotificationChannel: TestedView;
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

export type DeliveryView = ReturnType<typeof deliveryView> & { reason?: string | null };
export type DeliveryDetailView = ReturnType<typeof deliveryDetailView>;
