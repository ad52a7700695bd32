/**
 * Withdraws all pending settings of one device, of all owners. Locks jobs before the device, in the same
 * order as the end of a job.
 */
import type { Database } from '../db/database.ts';
import { staleRead } from '../db/faults.ts';
import type { Transact } from '../db/transaction.ts';
import { type Device, type DeviceConfigView, deviceConfigView } from '../devices/device.ts';
import type { PendingChangesRepository } from '../devices/pending-changes.repository.ts';
import { NO_SUCH_DEVICE } from '../devices/serial-number.ts';
import { orNotFound } from '../process/errors.ts';
import type { ChangesService } from './changes.service.ts';
import type { ConfigJobsRepository } from './config-jobs.repository.ts';
import type { DeviceTargetsRepository } from './device-targets.repository.ts';
import type { FinishJob } from './job-ending.service.ts';

export interface DeviceWithdrawalDeps {
  devicesIn(sql: Database): {
    find(organizationId: string, serialNumber: string): Promise<Device | null>;
  };
  pendingIn(sql: Database): Pick<PendingChangesRepository, 'lockAssets'>;
  jobsIn(sql: Database): Pick<ConfigJobsRepository, 'lock'>;
  deviceTargetsIn(sql: Database): Pick<DeviceTargetsRepository, 'listOnlyTargetJobs' | 'cancelByAsset'>;
  changes: Pick<ChangesService, 'clear'>;
  finishJob: FinishJob;
  jobsProgressed(organizationId: string, jobIds: string[]): void;
}

export type DeviceWithdrawal = ReturnType<typeof createDeviceWithdrawal>;

/** The record of the device afterwards. */
type WithdrawnDevice = DeviceConfigView & {
  /** Whether it had open targets. Queued ones have nothing pending, so the record may be as before. */
  hasCancelled: boolean;
};

const REASON = 'all that was pending for the device was withdrawn';

export function createDeviceWithdrawal(deps: DeviceWithdrawalDeps) {
  const { devicesIn, pendingIn, jobsIn, deviceTargetsIn } = deps;

  async function find(sql: Database, organizationId: string, serial: string) {
    return orNotFound(await devicesIn(sql).find(organizationId, serial), NO_SUCH_DEVICE);
  }

  /** Locks the jobs that wait for this device alone. */
  async function lockJobs(sql: Database, organizationId: string, assetId: string): Promise<Set<string>> {
    const jobIds = await deviceTargetsIn(sql).listOnlyTargetJobs(organizationId, assetId);
    for (const jobId of jobIds) await jobsIn(sql).lock({ organizationId, jobId });
    return new Set(jobIds);
  }

  return {
    /** Cancels the open targets of the device, and jobs without another target. @throws not found */
    withdraw(transact: Transact, organizationId: string, serial: string): Promise<WithdrawnDevice> {
      return transact(async (tx) => {
        const { sql, afterCommit } = tx;
        const { assetId } = await find(sql, organizationId, serial);
        const lockedJobs = await lockJobs(sql, organizationId, assetId);
        const devices = await pendingIn(sql).lockAssets(organizationId, [assetId]);
        const jobIds = await deviceTargetsIn(sql).listOnlyTargetJobs(organizationId, assetId);
        if (!jobIds.every((jobId) => lockedJobs.has(jobId)))
          throw staleRead('A job of the device began meanwhile');
        await deps.changes.clear(tx, organizationId, devices);
        // Queued targets are open without anything pending, and would be offered later.
        const concerned = await deviceTargetsIn(sql).cancelByAsset(organizationId, assetId, REASON);
        for (const jobId of jobIds) await deps.finishJob(tx, { organizationId, jobId }, 'cancelled');
        afterCommit(() => deps.jobsProgressed(organizationId, concerned));
        const view = deviceConfigView(await find(sql, organizationId, serial));
        return { ...view, hasCancelled: concerned.length > 0 };
      });
    },
  };
}
