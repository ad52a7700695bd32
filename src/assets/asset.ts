/** A registered measuring place, whose logger can be replaced. */
import type { BatteryStatus, SignalStrength } from '../devices/device-status.ts';
import type { SyncStatus } from '../devices/device-sync.ts';
import { type LatestReading, latestView } from '../devices/reading.ts';
import { fromStored, muteView, type StoredMute } from '../mutes/mute.ts';
import { DEVICE_STATUSES } from '../presence/presence.ts';
import { invalid } from '../process/errors.ts';

export const ASSET_STATUSES = [...DEVICE_STATUSES, 'archived'] as const;

export interface Asset {
  id: string;
  serialNumber: string;
  name: string;
  status: (typeof ASSET_STATUSES)[number];
  signalStrength: SignalStrength;
  batteryStatus: BatteryStatus;
  model: string | null;
  lastReadingAt: Date | null;
  waterType: string | null;
  floor: number | null;
  buildingId: string | null;
  spaceId: string | null;
  createdAt: Date;
}

/** As shown by its operations; webhooks show less. */
export interface ListedAsset extends Asset {
  groupId: string | null;
  syncStatus: SyncStatus;
  /** Number of new and acknowledged alerts. */
  openAlerts: number;
  latest: readonly LatestReading[];
  channelTypes: number[] | null;
  mute: StoredMute | null;
}

export interface Replacement {
  serialNumber: string;
  replacedAt: Date;
}

/** Paths of the API have these after `/devices/`. */
const RESERVED_SERIALS = ['config-profiles', 'config-jobs'];

export function checkRegistrable(field: string, serialNumber: string): void {
  if (RESERVED_SERIALS.includes(serialNumber.toLowerCase())) {
    throw invalid(`${field} must not be ${RESERVED_SERIALS.join(' or ')}: these are paths of this API`);
  }
}

/** The fields that a customer gives. */
export interface Registration {
  serialNumber: string;
  name?: string;
  waterType?: string;
  floor?: number;
  model?: string;
  buildingId?: string;
  spaceId?: string;
  groupId?: string;
}

export const newAsset = (given: Registration) => ({
  serialNumber: given.serialNumber,
  name: given.name ?? given.serialNumber,
  model: given.model ?? null,
  waterType: given.waterType ?? null,
  floor: given.floor ?? null,
  buildingId: given.buildingId ?? null,
  spaceId: given.spaceId ?? null,
  groupId: given.groupId ?? null,
});

const LOGGER_SERIAL = /^[0-9A-Fa-f]{12}$/;

const NO_LOGGER_SERIAL =
  'serialNumber is not 12 hexadecimal digits, which all known loggers have: check it for typing errors';

/** A device with a mistyped serial number would stay new for ever, without a hint at the reason. */
export const registrationWarnings = (serialNumber: string): { warnings?: string[] } =>
  LOGGER_SERIAL.test(serialNumber) ? {} : { warnings: [NO_LOGGER_SERIAL] };

export const NO_SUCH_ASSET = 'No asset has this id';
export const NO_SUCH_GROUP = 'No group has this id';

export type AssetView = ReturnType<typeof assetView>;
export type ListedAssetView = ReturnType<typeof listedAssetView>;

declare module '../db/domain-event.ts' {
  interface EventTypes {
    'device.offline': AssetView;
    'device.online': AssetView;
  }
}

export function assetView(asset: Asset) {
  return {
    ...asset,
    recType: 'asset',
    lastReadingAt: asset.lastReadingAt?.toISOString() ?? null,
    createdAt: asset.createdAt.toISOString(),
  };
}

export function listedAssetView(listed: ListedAsset) {
  const { latest, channelTypes, groupId, syncStatus, openAlerts, mute, ...asset } = listed;
  const layout = { model: asset.model, channelTypes };
  return {
    ...assetView(asset),
    groupId,
    syncStatus,
    openAlerts,
    mute: mute && muteView(fromStored(mute)),
    latest: latest.map((reading) => latestView(reading, layout)),
  };
}

export function assetDetailView(asset: ListedAsset, replacements: Replacement[]) {
  return {
    ...listedAssetView(asset),
    replacementHistory: replacements.map(({ serialNumber, replacedAt }) => ({
      serialNumber,
      replacedAt: replacedAt.toISOString(),
    })),
  };
}
