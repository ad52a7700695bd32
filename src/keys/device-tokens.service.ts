/** Tokens for a single serial number. */
import type { Database } from '../db/database.ts';
import type { KeyRecord, KeysRepository } from './keys.repository.ts';
import type { IssuedKey, KeyIssuer } from './keys.service.ts';

/** How long the earlier token keeps working, because the logger has to be given the new one first. */
const OVERLAP_HOURS = 24;
const HOUR_MS = 3_600_000;

export interface DeviceTokensDeps {
  keysIn(sql: Database): KeysRepository;
  issuerIn(sql: Database): KeyIssuer;
  /** Unix milliseconds. */
  now(): number;
}

export function createDeviceTokens({ keysIn, issuerIn, now }: DeviceTokensDeps) {
  return {
    /** The caller has locked the asset. */
    async issue(sql: Database, organizationId: string, serialNumber: string): Promise<IssuedKey> {
      const serialKey = serialNumber.toLowerCase();
      await keysIn(sql).expireOfSerial(organizationId, serialKey, new Date(now() + OVERLAP_HOURS * HOUR_MS));
      return issuerIn(sql).issue({ organizationId, kind: 'device', serialKey, expiresAt: null });
    },

    /** False when there was none. */
    revoke: (sql: Database, organizationId: string, serialNumber: string): Promise<boolean> =>
      keysIn(sql).revokeOfSerial(organizationId, serialNumber.toLowerCase(), new Date(now())),

    /** The newest working token. */
    find: (sql: Database, organizationId: string, serialNumber: string): Promise<KeyRecord | null> =>
      keysIn(sql).findOfSerial(organizationId, serialNumber.toLowerCase(), new Date(now())),
  };
}
