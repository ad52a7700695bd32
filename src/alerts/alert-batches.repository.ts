/** Alerts that batches of frames and sweeps open and resolve, many at once, and the states of devices that they depend on. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import { type AssetRef, assetKeys } from '../devices/asset-ref.ts';
import type { Span } from '../devices/settings.ts';
import { type AlertRef, type AlertResolution, alertKeys, type Extreme } from './alert.ts';
import {
  ANNOUNCE,
  INSERT,
  LENGTHEN,
  LIST_AROUND,
  LIST_UNANNOUNCED,
  LOCK_OPEN_ALERTS,
  RESOLVE,
  SHARE_LOCK_MONITORED_CONFIGS,
  UPDATE_OPEN_ALERTS,
} from './alert-batches.statements.ts';
import type { StoredAlert } from './alerts.repository.ts';
import { type AlertState, isOpen } from './device-alerts.ts';

export interface NewAlert
  extends AssetRef,
    Pick<StoredAlert, 'serialNumber' | 'type' | 'details' | 'startedAt' | 'severity' | 'isAnnounced'> {
  /** End of a late excursion, which is resolved from the start. */
  over?: Over;
}

export interface Over {
  endedAt: Date;
  extreme: Extreme;
}

export interface LengthenedAlert extends AlertRef {
  startedAt: Date;
  /** °C; value of the first reading. */
  value: number;
  /** Null for an alert that is not late, whose end stays as it is. */
  over: Over | null;
}

interface ResolvedAlertRef extends AlertRef {
  /** Added to the details of the alert. */
  resolution?: AlertResolution | null;
  /** Time of the reading that ended it; absent: it ends now. */
  endedAt?: Date | null;
}

/** An alert without what people did about it. */
export type AlertAround = Pick<
  StoredAlert,
  'id' | 'assetId' | 'type' | 'severity' | 'details' | 'startedAt' | 'late' | 'endedAt' | 'extreme'
>;

export interface OpenState extends AssetRef {
  openAlerts: AlertState[];
}

interface MonitoredState {
  /** Whether the asset is not archived. */
  isActive: boolean;
  /** Null when the device has no configuration. */
  configId: string | null;
}

export type AlertBatchesRepository = ReturnType<typeof createAlertBatchesRepository>;

export function createAlertBatchesRepository(sql: Sql) {
  return {
    /** Returns the alerts in the given order. */
    async insert(alerts: NewAlert[]): Promise<StoredAlert[]> {
      if (alerts.length === 0) return [];
      const rows = await query<StoredAlert & { position: number }>(sql, INSERT, {
        ...assetKeys(alerts),
        serialNumbers: alerts.map(({ serialNumber }) => serialNumber),
        types: alerts.map(({ type }) => type),
        details: alerts.map(({ details }) => JSON.stringify(details)),
        startedAt: alerts.map(({ startedAt }) => startedAt.toISOString()),
        areAnnounced: alerts.map(({ isAnnounced }) => isAnnounced),
        severities: alerts.map(({ severity }) => severity),
        ...overBindings(alerts),
      });
      return rows.map(({ position, ...alert }) => alert);
    },

    /**
     * Marks the alerts as announced, so that their events are published from now on. Returns the open ones.
     */
    async announce(refs: AlertRef[]): Promise<StoredAlert[]> {
      return refs.length === 0 ? [] : query(sql, ANNOUNCE, alertKeys(refs));
    },

    /**
     * Temperature alerts that overlap the span of their asset, of those that begin in it the latest `alertsMax`, and those just
     * before and after it.
     */
    async listAround(spans: Array<AssetRef & Span>, alertsMax: number): Promise<AlertAround[]> {
      if (spans.length === 0) return [];
      return query(sql, LIST_AROUND, {
        ...assetKeys(spans),
        alertsMax,
        from: spans.map(({ from }) => new Date(from).toISOString()),
        to: spans.map(({ to }) => new Date(to).toISOString()),
      });
    },

    /** Returns the alerts that were open. */
    async resolve(refs: ResolvedAlertRef[]): Promise<StoredAlert[]> {
      if (refs.length === 0) return [];
      return query(sql, RESOLVE, {
        ...alertKeys(refs),
        details: refs.map(({ resolution }) => JSON.stringify(resolution ? { resolution } : {})),
        endedAt: refs.map(({ endedAt }) => endedAt?.toISOString() ?? null),
      });
    },

    /** Extends alerts by late readings that belong to them. */
    async lengthen(alerts: LengthenedAlert[]): Promise<void> {
      if (alerts.length === 0) return;
      await query(sql, LENGTHEN, {
        ...alertKeys(alerts),
        startedAt: alerts.map(({ startedAt }) => startedAt.toISOString()),
        details: alerts.map(({ value }) => JSON.stringify({ value })),
        ...overBindings(alerts),
      });
    },

    /** Stores the open alerts of devices whose states the caller has locked. */
    async updateOpenAlerts(states: OpenState[]): Promise<void> {
      if (states.length === 0) return;
      const textsOf = (belongs: (state: AlertState) => boolean) =>
        states.map((state) => JSON.stringify(state.openAlerts.filter(belongs)));
      await query(sql, UPDATE_OPEN_ALERTS, {
        ...assetKeys(states),
        openAlerts: textsOf(isOpen),
        excursions: textsOf((state) => !isOpen(state)),
      });
    },

    /**
     * Also locks devices without open alerts: a frame that is opening one commits before this statement reads
     * its state, and later frames are evaluated by the changes of this transaction.
     */
    lockOpenAlerts: (devices: AssetRef[]): Promise<OpenState[]> =>
      query(sql, LOCK_OPEN_ALERTS, assetKeys(devices)),

    /** Ids of the assets whose latest alert of a missed contact is unannounced, resolved or not. */
    async listUnannounced(devices: AssetRef[]): Promise<Set<string>> {
      const rows = await query<{ assetId: string }>(sql, LIST_UNANNOUNCED, assetKeys(devices));
      return new Set(rows.map(({ assetId }) => assetId));
    },

    /**
     * Reads, per asset, the monitored configuration and whether the asset is active, and keeps both from
     * changing until the transaction ends. Skips rows that are being changed, so that a frame never waits for
     * a job: the transaction that replaces alert rules waits for the states of the devices, and resolves
     * alerts that such a frame has opened.
     */
    async shareLockMonitoredConfigs(devices: AssetRef[]): Promise<Map<string, MonitoredState>> {
      const rows = await query<MonitoredState & { assetId: string }>(
        sql,
        SHARE_LOCK_MONITORED_CONFIGS,
        assetKeys(devices),
      );
      return new Map(rows.map(({ assetId, ...state }) => [assetId, state]));
    },
  };
}

const overBindings = (alerts: Array<{ over?: Over | null }>) => ({
  endedAt: alerts.map(({ over }) => over?.endedAt.toISOString() ?? null),
  extremes: alerts.map(({ over }) => (over ? JSON.stringify(over.extreme) : null)),
});
