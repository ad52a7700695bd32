/** Confirmations and refusals of devices, for waiting jobs and, as events, for customers. */
import type { DomainEvent } from '../db/domain-event.ts';
import type { AssetRef } from './asset-ref.ts';
import type { Device } from './device.ts';
import type { ExchangeOutcome } from './device-exchange.ts';

type ConfigData = ReturnType<typeof configData>;

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

/** A target of a job whose change the device confirmed or refused. */
export interface SettledTarget extends AssetRef {
  jobId: string;
  profileSlug: string;
  /** False: the target had failed or timed out before. */
  isNew: boolean;
}

export type SettledTargets = Record<'applied' | 'failed', SettledTarget[]>;

/** The outcome of a device for a job, shown in the Temporal UI. */
export interface TargetOutcome {
  organizationId: string;
  jobId: string;
  serialNumber: string;
  event: 'applied' | 'failed';
}

export function targetOutcomes(
  outcomes: ExchangeOutcome[],
  { failed, applied }: SettledTargets,
): TargetOutcome[] {
  const serials = new Map(outcomes.map(({ device }) => [device.assetId, device.serialNumber]));
  const toOutcome =
    (event: TargetOutcome['event']) =>
    ({ organizationId, jobId, assetId }: SettledTarget) => ({
      organizationId,
      jobId,
      serialNumber: serials.get(assetId) as string,
      event,
    });
  return [...failed.map(toOutcome('failed')), ...applied.map(toOutcome('applied'))];
}

export function exchangeEvents(
  outcomes: ExchangeOutcome[],
  { failed, applied }: SettledTargets,
): DomainEvent[] {
  return outcomes.flatMap((outcome) => [
    ...rejectionEvents(outcome, targetsOf(outcome, failed)),
    ...confirmationEvents(outcome, targetsOf(outcome, applied)),
  ]);
}

const targetsOf = ({ device }: ExchangeOutcome, settled: SettledTarget[]) =>
  settled.filter(({ assetId }) => assetId === device.assetId);

/**
 * One event per job that waited for it; else one per job that had given up; without any job, one without a
 * job.
 */
function confirmationEvents(
  { device, wasConfirmed, at }: ExchangeOutcome,
  confirmed: SettledTarget[],
): DomainEvent[] {
  if (!wasConfirmed) return [];
  const waited = confirmed.filter(({ isNew }) => isNew);
  return causesOf(waited.length > 0 ? waited : confirmed).map((cause) => ({
    organizationId: device.organizationId,
    type: 'config.applied' as const,
    timestamp: at,
    data: { ...configData(device, cause), appliedAt: at.toISOString() },
  }));
}

function rejectionEvents({ device, rejection, at }: ExchangeOutcome, failed: SettledTarget[]): DomainEvent[] {
  if (rejection === null) return [];
  return causesOf(failed).map((cause) => ({
    organizationId: device.organizationId,
    type: 'config.failed' as const,
    timestamp: at,
    data: { ...configData(device, cause), reason: rejection, failedAt: at.toISOString() },
  }));
}

interface Cause {
  jobId: string | null;
  profileSlug: string | null;
}

const causesOf = (settled: SettledTarget[]): Cause[] =>
  settled.length > 0 ? settled : [{ jobId: null, profileSlug: null }];

const configData = ({ serialNumber, assetId, sync }: Device, { jobId, profileSlug }: Cause) => ({
  serialNumber,
  assetId,
  profileSlug,
  jobId,
  deviceConfig: sync.reported?.config ?? null,
});
