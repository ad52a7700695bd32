/** What a logger reports of itself beside its readings: firmware, radio, battery. Only the latest report is stored. */
import type { BatchTransact } from '../db/batch-transaction.ts';
import type { Sql } from '../db/database.ts';
import { parseRuleSlots } from './device-capabilities.ts';
import type { DeviceExchanges } from './device-exchange.service.ts';
import type { DeviceInfoRepository } from './device-info.repository.ts';
import { signalStrengthOfDbm } from './device-status.ts';

export interface DeviceInfoReport {
  organizationId: string;
  receivedAt: Date;
  info: {
    serialNumber: string;
    /** "07.02" */
    softwareVersion: string | null;
    modem: { rssiDbm: number | null } | null;
  };
}

export interface DeviceInfoDeps {
  transact: BatchTransact;
  deviceInfoIn(sql: Sql): DeviceInfoRepository;
  exchanges: DeviceExchanges;
}

export function createDeviceInfoService({ transact, deviceInfoIn, exchanges }: DeviceInfoDeps) {
  return {
    /** False when the organization has no active device of that serial. */
    async receive({ organizationId, info, receivedAt }: DeviceInfoReport): Promise<boolean> {
      const { serialNumber, softwareVersion, modem } = info;
      const isKnown = await transact(({ sql }) =>
        deviceInfoIn(sql).update(
          { organizationId, serialNumber },
          {
            info: { ...info, receivedAt: receivedAt.toISOString() },
            signalStrength: modem?.rssiDbm == null ? null : signalStrengthOfDbm(modem.rssiDbm),
          },
        ),
      );
      const ruleSlots = softwareVersion === null ? null : parseRuleSlots(softwareVersion);
      if (isKnown && ruleSlots !== null) {
        const observed = { channelTypes: null, ruleSlots, isReported: true };
        await exchanges.handle({ organizationId, serialNumber, observed, canDeliverConfig: false });
      }
      return isKnown;
    },
  };
}
