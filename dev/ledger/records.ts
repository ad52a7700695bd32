/** Records of both sides: the answers that clients got, and the state of the service at the end. */
import type { DeviceConfiguration } from '../../src/devices/configuration.ts';
import type { ProcessKind } from './fault-plan.ts';

/** One reading as a device sent it, or as the service shows it. */
export interface LedgerReading {
  channel: number;
  type: string;
  value: number | null;
  /** ISO 8601. */
  measuredAt: string;
}

export interface SentReading {
  reading: LedgerReading;
  /** The service has acknowledged that it is stored. */
  isAcknowledged: boolean;
}

/** Serial number → channel and time → reading. */
export type SentReadings = Map<string, Map<string, SentReading>>;

export interface AcknowledgedJob {
  jobId: string;
  /** The rule that identifies the change in reports of devices. */
  mark: RuleMark;
  /** The requested devices; null for those of another job, which a retry takes over. */
  serials: string[] | null;
  isCancelled: boolean;
}

/** The bound of a profile, which distinguishes its compiled rules from those of other jobs. */
export interface RuleMark {
  highC: number;
  hysteresisC: number;
}

export interface StoredJob {
  id: string;
  status: string;
  total: number;
  counts: Record<string, number>;
  /** ISO 8601. */
  finishedAt: string | null;
  targets: StoredTarget[];
}

export interface StoredTarget {
  assetId: string;
  serialNumber: string;
  state: string;
  reason: string | null;
  /** ISO 8601. */
  updatedAt: string;
}

export interface StoredAlert {
  id: string;
  assetId: string;
  serialNumber: string;
  type: string;
  status: string;
  details: { channel?: number; value?: number; bounds?: { highC: number | null; lowC: number | null } };
  timestamp: string;
  /** Absent in a release without excursions in late data. */
  late?: boolean;
  endedAt?: string | null;
  extreme?: { value: number; at: string } | null;
  /** Absent in a release that does not show it. */
  escalation?: { id: string; step: number; nextStepAt: string | null } | null;
  /** Only of an alert that was read singly, oldest first. */
  history?: Array<{ at: string; action: string; comment: string | null }>;
}

/** The escalation that matches every alert. */
export interface LedgerEscalation {
  id: string;
  steps: Array<{ afterMinutes: number; receiver: string }>;
}

export interface StoredDevice {
  serialNumber: string;
  assetId: string;
  /** new, online, offline */
  status: string;
  syncStatus: string;
  /** As in the list of assets; absent in a release that does not show it. */
  listedSyncStatus?: string;
  deviceConfig: DeviceConfiguration | null;
  pendingConfig: object | null;
  readings: LedgerReading[];
}

/** The complete state of the service at the end. */
export interface StoredFacts {
  devices: readonly StoredDevice[];
  jobs: readonly StoredJob[];
  alerts: readonly StoredAlert[];
}

/** A logger at the end. */
export interface ActualDevice {
  serialNumber: string;
  /** Null: it never transmits. */
  config: DeviceConfiguration | null;
  refuses: boolean;
  /** Marks of all rules that it ever reported. */
  reported: RuleMark[];
}

export type ReceiverKind = 'healthy' | 'cellular' | 'flaky' | 'slow' | 'dead' | 'edited' | 'toggled' | 'gone';

/** One request to a receiver. */
export interface Receipt {
  receiver: string;
  /** ISO 8601: when it arrived. */
  at: string;
  eventId: string;
  type: string;
  body: string;
  isSigned: boolean;
  /** Status of the receiver's answer; null: the connection was cut. */
  answered: number | null;
  /** The fault of the body by the published document. */
  invalid: string | null;
}

export interface Subscription {
  receiver: string;
  kind: ReceiverKind;
  types: readonly string[];
  /** Every event of its types has to arrive, because it was registered first and stays active. */
  isComplete: boolean;
}

export interface MemorySample {
  kind: ProcessKind;
  pid: number;
  /** Milliseconds since the beginning of the run. */
  atMs: number;
  rssMb: number;
  /** How long this process has been running. */
  ageMs: number;
}

export interface Finding {
  /** Subject: readings, jobs, … */
  about: string;
  text: string;
}
