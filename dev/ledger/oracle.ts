/** All findings of a run, and the number of checked items. Pure: works on the records alone. */
import { checkAlerts } from './alerts-oracle.ts';
import { checkDevices } from './devices-oracle.ts';
import { checkEscalations } from './escalations-oracle.ts';
import { checkEvents } from './events-oracle.ts';
import { checkJobs } from './jobs-oracle.ts';
import { checkMemory } from './memory-oracle.ts';
import { checkReadings } from './readings-oracle.ts';
import type {
  AcknowledgedJob,
  ActualDevice,
  Finding,
  LedgerEscalation,
  MemorySample,
  Receipt,
  SentReadings,
  StoredFacts,
  Subscription,
} from './records.ts';

export interface RunRecords {
  sent: SentReadings;
  jobs: readonly AcknowledgedJob[];
  /** ISO 8601. */
  faultsEndedAt: string;
  actual: readonly ActualDevice[];
  receipts: readonly Receipt[];
  subscriptions: readonly Subscription[];
  /** Null: the first release of the run has none. */
  escalation: LedgerEscalation | null;
  /** ISO 8601: when the stored facts were read. */
  readAt: string;
  memory: readonly MemorySample[];
  /** Findings about processes and endpoints from during the run. */
  findings: readonly Finding[];
}

export interface Verdict {
  /** By subject, in the order of the table. */
  checked: Array<[about: string, count: number]>;
  findings: Finding[];
}

export function checkRun(records: RunRecords, stored: StoredFacts): Verdict {
  const { sent, jobs, actual, receipts, subscriptions, memory, escalation, readAt } = records;
  return {
    checked: [
      ['readings', [...sent.values()].reduce((sum, { size }) => sum + size, 0)],
      ['reports', actual.length],
      ['jobs', jobs.length],
      ['alerts', stored.alerts.length],
      ['escalations', receipts.filter(({ type }) => type === 'notification').length],
      ['events', receipts.length],
      ['presence', actual.length],
      ['endpoints', subscriptions.length],
      ['processes', new Set(memory.map(({ pid }) => pid)).size],
      ['memory', memory.length],
    ],
    findings: [
      ...records.findings,
      ...checkReadings(sent, stored.devices),
      ...checkDevices(actual, stored.devices),
      ...checkJobs({ acknowledged: jobs, actual, faultsEndedAt: records.faultsEndedAt }, stored.jobs),
      ...checkAlerts(stored.alerts, sent, stored),
      ...checkEscalations({ escalation, alerts: stored.alerts, receipts, readAt }),
      ...checkEvents(receipts, subscriptions, stored),
      ...checkMemory(memory),
    ],
  };
}
