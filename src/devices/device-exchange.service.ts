/**
 * Exchanges of configurations in a batch of messages: their effects on devices, jobs and alerts, in the
 * transaction of the batch.
 */
import type { Sql } from '../db/database.ts';
import type { DomainEvent } from '../db/domain-event.ts';
import { sentTogether } from '../db/query.ts';
import type { InTransaction } from '../db/transaction.ts';
import { type AssetRef, refOf } from './asset-ref.ts';
import { type ConfigurationKey, keysOf } from './configuration.ts';
import { type Device, withObserved } from './device.ts';
import { capabilitiesKey } from './device-capabilities.ts';
import {
  type ContactingDevice,
  type ExchangeOutcome,
  exchangeEvents,
  receiveExchange,
  type SettledTarget,
  type SettledTargets,
  type TargetOutcome,
  targetOutcomes,
} from './device-exchange.ts';

interface ExchangeTargets {
  /** `pendingKeys` are the keys that are still pending. */
  confirm(devices: Array<AssetRef & { pendingKeys: ConfigurationKey[] }>): Promise<SettledTarget[]>;
  fail(failures: Array<AssetRef & { reason: string }>): Promise<SettledTarget[]>;
  markSent(devices: AssetRef[]): Promise<void>;
  reoffer(devices: AssetRef[]): Promise<void>;
}

export interface ExchangeBatchDeps {
  devicesIn(sql: Sql): { update(devices: Device[]): Promise<void> };
  targetsIn(sql: Sql): ExchangeTargets;
  /**
   * Compiles configurations and the changes of targets again, for devices whose capabilities have changed. Returns the
   * devices with the results.
   */
  recompile(sql: Sql, devices: Device[]): Promise<Device[]>;
  /** Called for devices whose alert rules change now. */
  alertRulesChanged(tx: InTransaction, devices: AssetRef[]): Promise<DomainEvent[]>;
  recordOutcomes(outcomes: TargetOutcome[]): void;
  now(): Date;
}

export type ExchangeBatch = ReturnType<typeof createExchangeBatch>;

export function createExchangeBatch(deps: ExchangeBatchDeps) {
  const { devicesIn, targetsIn, recompile, alertRulesChanged, recordOutcomes, now } = deps;

  async function recompileChanged(sql: Sql, contacting: ContactingDevice[]): Promise<ContactingDevice[]> {
    const changed = contacting.filter(({ before, device }) => hasOtherCapabilities(before, device));
    if (changed.length === 0) return contacting;
    const recompiled = await recompile(
      sql,
      changed.map(({ device }) => device),
    );
    const deviceOf = new Map(recompiled.map((device) => [device.assetId, device]));
    return contacting.map((each) => ({ ...each, device: deviceOf.get(each.device.assetId) ?? each.device }));
  }

  return {
    /** Capabilities come first: a report is compared with the configuration that is compiled for them. */
    async receive(
      sql: Sql,
      locked: ReadonlyArray<Omit<ContactingDevice, 'device'>>,
    ): Promise<ExchangeOutcome[]> {
      if (locked.length === 0) return [];
      const contacting = locked.map((each) => {
        const { observed } = each.exchange;
        return { ...each, device: observed ? withObserved(each.before, observed) : each.before };
      });
      const recompiled = await recompileChanged(sql, contacting);
      const at = now();
      return recompiled.map((each) => receiveExchange(each, at));
    },

    /** The caller publishes the events. */
    async store(tx: InTransaction, outcomes: ExchangeOutcome[]): Promise<DomainEvent[]> {
      const changed = outcomes.filter(({ hasChanged }) => hasChanged);
      if (changed.length === 0) return [];
      await devicesIn(tx.sql).update(changed.map(({ device }) => device));
      const settled = await updateTargets(targetsIn(tx.sql), changed);
      tx.afterCommit(() => recordOutcomes(targetOutcomes(changed, settled)));
      return [
        ...exchangeEvents(changed, settled),
        ...(await alertRulesChanged(
          tx,
          refsWhere(changed, ({ hasOtherAlertRules }) => hasOtherAlertRules),
        )),
      ];
    },
  };
}

const hasOtherCapabilities = (before: Device, device: Device): boolean =>
  device !== before && capabilitiesKey(device.capabilities) !== capabilitiesKey(before.capabilities);

async function updateTargets(targets: ExchangeTargets, outcomes: ExchangeOutcome[]): Promise<SettledTargets> {
  const [failed, , , applied] = await sentTogether([
    targets.fail(
      outcomes.flatMap(({ device, rejection }) =>
        rejection === null ? [] : [{ ...refOf(device), reason: rejection }],
      ),
    ),
    targets.markSent(refsWhere(outcomes, ({ openState }) => openState === 'sent')),
    targets.reoffer(refsWhere(outcomes, ({ openState }) => openState === 'waiting')),
    // Last, since it sends another statement after its answer, which would hide a failure of those before.
    targets.confirm(
      outcomes
        .filter(({ wasConfirmed }) => wasConfirmed)
        .map(({ device }) => ({ ...refOf(device), pendingKeys: keysOf(device.sync.pending?.config ?? {}) })),
    ),
  ]);
  return { failed, applied };
}

const refsWhere = (outcomes: ExchangeOutcome[], passes: (outcome: ExchangeOutcome) => boolean): AssetRef[] =>
  outcomes.filter(passes).map(({ device }) => refOf(device));
