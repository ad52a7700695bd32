/** Targets of a job: its devices and their states. Writers have locked the rows of the devices. */
import type { Knex } from 'knex';
import { newestFirst, oneOf, type Page, unseen } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { ConfigurationKey } from '../devices/configuration.ts';
import type { Presence } from '../presence/presence.ts';
import { lastOf } from '../process/pages.ts';
import { AWAITED_READ_MAX, type JobRef, type JobTarget, type TargetState } from './config-job.ts';
import { FAIL_CROWDED, INSERT, OF_RUNNING_JOB, OPEN } from './config-targets.statements.ts';

interface NewTarget extends RetryableTarget {
  stage: number;
  state: 'queued' | 'waiting';
}

/** A target with the id of the configuration that holds its change. */
interface TargetChange {
  assetId: string;
  changeId: string;
}

/**
 * A change that the device may still come to run, in whole or without the keys that other changes took over.
 */
export interface ActiveChange extends TargetChange {
  /** Settings of the change that it no longer owns; null: it owns all. */
  lostKeys: ConfigurationKey[] | null;
}

export interface ActiveTarget extends ActiveChange {
  state: TargetState;
}

/**
 * Which targets end with a job: open ones, or also targets that are settled but still pending on the device.
 */
export type EndingScope = 'open' | 'not refused' | 'all';

export interface RetryableTarget extends TargetChange {
  /** The group whose profile this change brings. */
  groupId: string | null;
}

export interface AwaitedTarget extends Presence {
  assetId: string;
  /** sent: the device has fetched the change. */
  state: 'waiting' | 'sent';
}

/** A page of targets, ordered by asset id. */
export interface TargetPage {
  after: string | null;
  limit: number;
}

interface ConfigTargetRow {
  organization_id: string;
  job_id: string;
  asset_id: string;
  stage: number;
  change_config_id: string;
  state: TargetState;
  reason: string | null;
  is_active: boolean;
  confirmed_at: Date | null;
  updated_at: Date;
  group_id: string | null;
  lost_keys: ConfigurationKey[] | null;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    config_targets: ConfigTargetRow;
  }
}

const TARGET_CHANGE = { assetId: 'asset_id', changeId: 'change_config_id' } as const;
export const ACTIVE_CHANGE = { ...TARGET_CHANGE, lostKeys: 'lost_keys' } as const;
export const ACTIVE_TARGET = { ...ACTIVE_CHANGE, state: 'state' } as const;

/** States of targets that end besides open ones. */
const ENDING: Record<EndingScope, TargetState[]> = {
  open: [],
  'not refused': ['timed_out', 'superseded'],
  all: ['timed_out', 'superseded', 'failed'],
};
/** Lets an index find the targets of a state, which may be few in a large job. */
const UNSETTLED: readonly TargetState[] = ['waiting', 'sent'];
const WITH_REASON: readonly TargetState[] = ['failed', 'timed_out', 'cancelled', 'superseded'];

/**
 * Cancels the open ones among the targets, and makes all inactive: settled ones keep the time at which they settled.
 * Returns the ids of the jobs whose targets were open.
 */
export async function cancelOpen(
  sql: Database,
  targets: () => Knex.QueryBuilder,
  reason: string,
): Promise<string[]> {
  const rows = await targets().whereRaw(OPEN).update(cancelled(sql, reason)).returning('job_id');
  await targets().update({ is_active: false });
  return jobsOf(rows);
}

/**
 * Cancels the failed ones among the targets in jobs that run: a device that has left a job does not count in
 * it, whatever it has refused. Returns the ids of these jobs. One that ends at this moment keeps its counts.
 */
export async function cancelFailed(
  sql: Database,
  targets: () => Knex.QueryBuilder,
  reason: string,
): Promise<string[]> {
  const failed = targets().where({ state: 'failed' }).whereRaw(OF_RUNNING_JOB);
  return jobsOf(await failed.update(cancelled(sql, reason)).returning('job_id'));
}

const cancelled = (sql: Database, reason: string) => ({
  state: 'cancelled',
  reason,
  is_active: false,
  updated_at: sql.fn.now(),
});

const jobsOf = (rows: Array<{ job_id: string }>): string[] => [...new Set(rows.map(({ job_id }) => job_id))];

export type ConfigTargetsRepository = ReturnType<typeof createConfigTargetsRepository>;

export function createConfigTargetsRepository(sql: Database) {
  const ofJob = ({ organizationId, jobId }: JobRef) =>
    sql('config_targets').where({ organization_id: organizationId, job_id: jobId });
  const ofAssets = (job: JobRef, assetIds: string[]) => ofJob(job).where(oneOf('asset_id', assetIds));
  const queued = (job: JobRef, assetIds: string[]) => ofAssets(job, assetIds).where({ state: 'queued' });

  return {
    async insert(job: JobRef, targets: NewTarget[], isActive: boolean): Promise<void> {
      await query(sql, INSERT, {
        ...job,
        isActive,
        assetIds: targets.map(({ assetId }) => assetId),
        changeIds: targets.map(({ changeId }) => changeId),
        stages: targets.map(({ stage }) => stage),
        states: targets.map(({ state }) => state),
        groupIds: targets.map(({ groupId }) => groupId),
      });
    },

    async list(
      { organizationId, jobId }: JobRef,
      { state, ...page }: Page & { state: TargetState | null },
    ): Promise<JobTarget[]> {
      const targets = sql('config_targets as t')
        .join('assets as a', (on) => on.on('a.organization_id', 't.organization_id').on('a.id', 't.asset_id'))
        .where({ 't.organization_id': organizationId, 't.job_id': jobId })
        .select({ assetId: 't.asset_id', serialNumber: 'a.serial_number', state: 't.state' })
        .select({ reason: 't.reason', updatedAt: 't.updated_at' });
      if (state !== null) targets.where('t.state', state);
      if (state !== null && UNSETTLED.includes(state)) targets.where('t.is_active', true);
      if (state !== null && WITH_REASON.includes(state)) targets.whereNotNull('t.reason');
      return targets.modify(newestFirst, page, 't.asset_id');
    },

    /**
     * Devices that have yet to fetch or confirm the change, the most overdue first. Reads a bounded number of
     * active targets, so it may miss more overdue ones in a very large job.
     */
    async listAwaited(job: JobRef, limit: number): Promise<AwaitedTarget[]> {
      const active = await ofJob(job)
        .where({ is_active: true })
        .orderBy('asset_id')
        .limit(AWAITED_READ_MAX)
        .select('asset_id', 'state');
      const stateOf = new Map(
        active
          .filter(({ state }) => UNSETTLED.includes(state))
          .map(({ asset_id, state }) => [asset_id, state as AwaitedTarget['state']] as const),
      );
      const first: Array<Omit<AwaitedTarget, 'state'>> = await sql('device_states')
        .where({ organization_id: job.organizationId })
        .where(oneOf('asset_id', [...stateOf.keys()]))
        .orderByRaw('expected_by nulls last, asset_id')
        .limit(limit)
        .select({ assetId: 'asset_id', status: 'status' })
        .select({ expectedBy: 'expected_by', lastContactAt: 'last_contact_at' });
      return first.map((device) => ({ ...device, state: stateOf.get(device.assetId) ?? 'waiting' }));
    },

    /** Serial numbers by asset id. */
    async findSerials(organizationId: string, assetIds: string[]): Promise<Map<string, string>> {
      const assets = await sql('assets')
        .where({ organization_id: organizationId })
        .whereIn('id', assetIds)
        .select('id', 'serial_number');
      return new Map(assets.map(({ id, serial_number }) => [id, serial_number]));
    },

    /** Targets that end with the job. */
    listEnding: (job: JobRef, scope: EndingScope, page: TargetPage): Promise<ActiveTarget[]> =>
      ofJob(job).where(isEnding(scope)).modify(nextByAsset, page).select(ACTIVE_TARGET),

    listQueued: (job: JobRef, stage: number, page: TargetPage): Promise<TargetChange[]> =>
      ofJob(job).where({ stage, state: 'queued' }).modify(nextByAsset, page).select(TARGET_CHANGE),

    /**
     * Failed and timed-out targets whose device has not confirmed the change since, in a retry either, and is still in
     * the group for whose profile it had the change. A retry may bring another configuration, so its confirmation does not
     * settle the target of the retried job.
     */
    async listRetryable(job: JobRef): Promise<RetryableTarget[]> {
      const { organizationId, jobId } = job;
      const jobs = () => sql({ j: 'config_jobs' }).where({ 'j.organization_id': organizationId });
      const first = jobs().where({ 'j.retry_of_job_id': jobId }).select('j.id');
      const next = jobs().join('retries', 'retries.id', 'j.retry_of_job_id').select('j.id');
      const confirmed = sql({ c: 'config_targets' })
        .join('retries', 'retries.id', 'c.job_id')
        .where({ 'c.organization_id': organizationId, 'c.lost_keys': null })
        .whereNotNull('c.confirmed_at')
        .select('c.asset_id');
      const group = sql({ a: 'assets' })
        .join({ g: 'groups' }, { 'g.organization_id': 'a.organization_id', 'g.id': 'a.group_id' })
        .where({ 'a.organization_id': unseen(sql, organizationId), 'a.id': sql.ref('t.asset_id') })
        .where({ 'g.deleted_at': null })
        .select('g.id');
      return sql
        .withRecursive('retries', ['id'], first.union(next))
        .from({ t: 'config_targets' })
        .where({ 't.organization_id': organizationId, 't.job_id': jobId })
        .whereIn('t.state', ['failed', 'timed_out'])
        .where((target) => void target.whereNull('t.confirmed_at').orWhereNotNull('t.lost_keys'))
        .whereNotIn('t.asset_id', confirmed)
        .where((target) => void target.whereNull('t.group_id').orWhere('t.group_id', '=', group))
        .orderBy('t.asset_id')
        .select({ assetId: 't.asset_id', changeId: 't.change_config_id', groupId: 't.group_id' });
    },

    /**
     * Makes the next queued targets of a scheduled job active. Returns the last one, null when all are
     * active.
     */
    async activateNext(job: JobRef, page: TargetPage): Promise<string | null> {
      const assetIds: string[] = await ofJob(job).modify(nextByAsset, page).pluck('asset_id');
      await queued(job, assetIds).update({ is_active: true });
      return lastOf(assetIds, page.limit);
    },

    /** Fails targets that begin whose devices have too many active changes. Returns their assets. */
    async failCrowded({ organizationId, jobId }: JobRef, assetIds: string[]): Promise<Set<string>> {
      const rows = await query<{ assetId: string }>(sql, FAIL_CROWDED, { organizationId, jobId, assetIds });
      return new Set(rows.map(({ assetId }) => assetId));
    },

    async begin(job: JobRef, assetIds: string[]): Promise<void> {
      await queued(job, assetIds).update({ state: 'waiting', updated_at: sql.fn.now() });
    },

    async cancelQueued(job: JobRef, assetIds: string[], reason: string): Promise<void> {
      if (assetIds.length === 0) return;
      await cancelOpen(sql, () => queued(job, assetIds), reason);
    },

    /** Cancels the open ones of these targets; the change of the others is no longer pending afterwards. */
    async cancel(job: JobRef, scope: EndingScope, assetIds: string[], reason: string): Promise<void> {
      await cancelOpen(sql, () => ofAssets(job, assetIds).where(isEnding(scope)), reason);
    },

    /**
     * The change stays pending where it was offered. A queued target was never offered, so it becomes
     * inactive.
     */
    async timeOut(job: JobRef, assetIds: string[]): Promise<void> {
      await ofAssets(job, assetIds)
        .whereRaw(OPEN)
        .update({
          state: 'timed_out',
          is_active: sql.raw(`state <> 'queued'`),
          reason: sql.raw(
            `case when state = 'queued' then 'the deadline passed before its stage began'
               else 'the device did not confirm the change before the deadline' end`,
          ),
          updated_at: sql.fn.now(),
        });
    },
  };
}

const isEnding = (scope: EndingScope) => (target: Knex.QueryBuilder) =>
  void target.whereRaw(`(${OPEN} or is_active and state = any(?::text[]))`, [ENDING[scope]]);

function nextByAsset(targets: Knex.QueryBuilder, { after, limit }: TargetPage): void {
  if (after !== null) targets.where('asset_id', '>', after);
  targets.orderBy('asset_id').limit(limit);
}
