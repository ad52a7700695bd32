/**
 * Pending changes of many devices, read and changed in one statement: profiles are applied to thousands of devices at
 * once. `assign` is the set-based twin of `withPending` in device-sync.ts: both change together, and
 * test/devices/pending-changes.test.ts holds them equal.
 */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import { pages } from '../process/pages.ts';
import { FIRST_ID } from '../process/uuid.ts';
import type { ConfigurationKey } from './configuration.ts';
import { toKeysText } from './device-row.ts';
import {
  ASSIGN,
  COUNT_VARIANTS,
  COUNT_VARIANTS_OF_GROUP,
  LIST_PAGE,
  LIST_PAGE_OF_GROUP,
  LIST_SERIALS,
  LOCK_ASSETS,
  LOCK_SERIALS,
} from './pending-changes.statements.ts';

/** Everything that decides how a change compiles for a device. */
export interface DeviceVariant {
  pendingConfigId: string | null;
  reportedConfigId: string | null;
  confirmedConfigId: string | null;
  model: string | null;
  channelTypes: number[] | null;
  ruleSlots: number;
  /** The settings of the pending change that the device refused; null: none. */
  refusedKeys: ConfigurationKey[] | null;
}

/** Devices that a change compiles alike for. */
export interface CountedVariant extends DeviceVariant {
  deviceCount: number;
}

export interface ChangingDevice extends DeviceVariant {
  assetId: string;
  serialNumber: string;
  /** As in `DeviceSync`. */
  isInheriting: boolean;
}

/** The change that is pending for a device from now on. */
interface PendingAssignment {
  assetId: string;
  /** Null: nothing. */
  configId: string | null;
  /** Whether the configuration has calendars whose offset from UTC has to follow a time zone. */
  followsTimeZone: boolean;
  /** The device keeps its refusal of these settings, or has it again. */
  refusedKeys: readonly ConfigurationKey[];
  /** Why the device refused them; null: the stored reason stays. */
  refusalReason: string | null;
  /** Whether these are all keys of the configuration, so that nothing is offered. */
  isRefused: boolean;
  /** Intervals of the configuration; null: it does not set them. */
  measurementPeriodSeconds: number | null;
  transmissionIntervalSeconds: number | null;
}

/** All active devices of an organization, or of one of its groups. */
interface DeviceScope {
  organizationId: string;
  /** Null: all devices. */
  groupId: string | null;
}

function bySerials(organizationId: string, serialNumbers: string[]) {
  const distinct = [...new Set(serialNumbers.map((serial) => serial.toLowerCase()))];
  return { organizationId, organizationIds: distinct.map(() => organizationId), serialNumbers: distinct };
}

export type PendingChangesRepository = ReturnType<typeof createPendingChangesRepository>;

/** All devices of one call belong to one organization. */
export function createPendingChangesRepository(sql: Sql) {
  /** The next active devices by asset id, without locks. */
  function listActive(
    scope: DeviceScope,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<ChangingDevice[]> {
    const page = { ...scope, after: after ?? FIRST_ID, limit };
    return query(sql, scope.groupId === null ? LIST_PAGE : LIST_PAGE_OF_GROUP, page);
  }

  return {
    listActive,

    /** All active devices by asset id, in pages, without locks. */
    listPages: (scope: DeviceScope, limit: number): AsyncIterable<ChangingDevice[]> =>
      pages(limit, (last: ChangingDevice | null) =>
        listActive(scope, { after: last?.assetId ?? null, limit }),
      ),

    /** Active devices, counted by variant. */
    countVariants: (scope: DeviceScope): Promise<CountedVariant[]> =>
      query(sql, scope.groupId === null ? COUNT_VARIANTS : COUNT_VARIANTS_OF_GROUP, { ...scope }),

    /** Active devices by serial, compared without case; without locks. */
    listSerials: (organizationId: string, serialNumbers: string[]): Promise<ChangingDevice[]> =>
      query(sql, LIST_SERIALS, bySerials(organizationId, serialNumbers)),

    lockSerials: (organizationId: string, serialNumbers: string[]): Promise<ChangingDevice[]> =>
      query(sql, LOCK_SERIALS, bySerials(organizationId, serialNumbers)),

    lockAssets: (organizationId: string, assetIds: string[]): Promise<ChangingDevice[]> =>
      query(sql, LOCK_ASSETS, { organizationId, assetIds }),

    /**
     * A pending change has to be fetched again, as a new revision; without a pending change the revision stays.
     * For a device that has never reported, these are the settings in force from then on.
     */
    async assign(
      organizationId: string,
      assignments: PendingAssignment[],
      { jobId, at }: { jobId: string | null; at: Date },
    ): Promise<void> {
      if (assignments.length === 0) return;
      // Devices share few assignments, and a position is shorter than an id.
      const distinct = new Map(assignments.map((assignment) => [keyOf(assignment), assignment]));
      const shared = [...distinct.values()];
      const position = new Map([...distinct.keys()].map((key, index) => [key, index + 1]));
      await query(sql, ASSIGN, {
        isByJob: jobId !== null,
        assetIds: assignments.map(({ assetId }) => assetId),
        positions: assignments.map((assignment) => position.get(keyOf(assignment))),
        organizationIds: shared.map(() => organizationId),
        configIds: shared.map(({ configId }) => configId),
        refusedKeys: shared.map(({ refusedKeys }) =>
          refusedKeys.length > 0 ? toKeysText(refusedKeys) : null,
        ),
        refusalReasons: shared.map(({ refusalReason }) => refusalReason),
        followTimeZone: shared.map(({ followsTimeZone }) => followsTimeZone),
        areRefused: shared.map(({ isRefused }) => isRefused),
        measurementPeriods: shared.map(({ measurementPeriodSeconds }) => measurementPeriodSeconds),
        transmissionIntervals: shared.map(({ transmissionIntervalSeconds }) => transmissionIntervalSeconds),
        at: at.toISOString(),
        jobId,
      });
    },
  };
}

const keyOf = ({ configId, refusedKeys, refusalReason }: PendingAssignment) =>
  `${configId} ${refusedKeys.join()} ${refusalReason}`;
