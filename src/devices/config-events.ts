/** The data of events about changes of configuration. */
import type { DeviceConfiguration } from './configuration.ts';

interface ConfigData {
  serialNumber: string;
  assetId: string;
  profileSlug: string | null;
  jobId: string | null;
  deviceConfig: DeviceConfiguration | null;
}

export interface ConfigAppliedData extends ConfigData {
  appliedAt: string;
}

export interface ConfigFailedData extends ConfigData {
  reason: string;
  failedAt: string;
}

declare module '../db/domain-event.ts' {
  interface EventTypes {
    'config.applied': ConfigAppliedData;
    'config.failed': ConfigFailedData;
  }
}
