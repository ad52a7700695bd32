/**
 * A changed policy, or a mute that ended early, may concern many open escalations. The request stores it as
 * one row; a sweep goes through the escalations in chunks, in the order of their alerts. So the request is
 * short, and frames that resolve alerts wait for one chunk at most. Organizations take turns, chunk by chunk.
 */
import type { AlertRef } from '../alerts/alert.ts';
import type { Database } from '../db/database.ts';
import { isFaultOfAll, SET_ASIDE_MS } from '../db/due-rows.ts';
import type { Transact } from '../db/transaction.ts';
import { createBoundedCache } from '../process/bounded-cache.ts';
import { stepwise } from '../process/pages.ts';
import type { AlertEscalationsRepository, Chunk, FollowedChunk } from './alert-escalations.repository.ts';
import type {
  ChangeRef,
  EscalationChange,
  EscalationChangesRepository,
} from './escalation-changes.repository.ts';
import type { PoliciesRepository } from './escalation-policies.repository.ts';
import type { PolicyRef } from './escalation-policy.ts';

interface EscalationChangesDeps {
  transact: Transact;
  changes: Pick<EscalationChangesRepository, 'listFirst'>;
  changesIn(sql: Database): Pick<EscalationChangesRepository, 'lock' | 'advance' | 'remove'>;
  policiesIn(sql: Database): Pick<PoliciesRepository, 'find'>;
  escalationsIn(sql: Database): Pick<AlertEscalationsRepository, 'planNext' | 'endNext' | 'unmuteNext'>;
  /** Called after the commit; these runs check their rows again. */
  wakeRuns(alerts: AlertRef[]): void;
  onSetAside(change: ChangeRef, error: unknown): void;
  now(): Date;
}

/** Below all ids. */
const NONE = '00000000-0000-0000-0000-000000000000';
const ESCALATIONS_AT_ONCE = 500;
const ORGANIZATIONS_AT_ONCE = 100;
/** Chunks of an organization in one sweep. */
const ROUNDS_MAX = 20;
const SET_ASIDE_MAX = 1_000;

/** Returns the sweep over all pending changes. */
export function createEscalationChanges(
  deps: EscalationChangesDeps,
): (shouldContinue: () => boolean) => Promise<void> {
  const { transact, changes, changesIn, policiesIn, escalationsIn, wakeRuns, onSetAside, now } = deps;
  const setAside = createBoundedCache<string, true>(SET_ASIDE_MAX, { ttl: SET_ASIDE_MS });

  async function followChunk(sql: Database, change: EscalationChange): Promise<FollowedChunk> {
    const { organizationId, policyId, mutedUntil, afterAlertId } = change;
    const chunk: Chunk = { after: afterAlertId ?? NONE, limit: ESCALATIONS_AT_ONCE };
    if (policyId !== null) return followPolicy(sql, { organizationId, policyId }, chunk);
    if (mutedUntil === null) throw new Error('A change of escalations has neither a policy nor a mute');
    return escalationsIn(sql).unmuteNext({ organizationId, mutedUntil, now: now() }, chunk);
  }

  async function followPolicy(sql: Database, ref: PolicyRef, chunk: Chunk): Promise<FollowedChunk> {
    const policy = await policiesIn(sql).find(ref);
    if (policy?.status === 'active') return escalationsIn(sql).planNext(ref, policy, chunk);
    const state = policy ? 'policy_disabled' : 'policy_deleted';
    return escalationsIn(sql).endNext(ref, state, chunk);
  }

  const follow = (ref: ChangeRef): Promise<void> =>
    transact(async ({ sql, afterCommit }) => {
      const change = await changesIn(sql).lock(ref);
      if (!change) return;
      const { last, affected } = await followChunk(sql, change);
      if (last === null) await changesIn(sql).remove(ref);
      else await changesIn(sql).advance(ref, last);
      afterCommit(() => wakeRuns(affected));
    });

  /** A change that fails delays no other one. */
  const tryFollow = (change: ChangeRef): Promise<void> =>
    follow(change).catch((error) => {
      if (isFaultOfAll(error)) throw error;
      setAside.set(change.id, true);
      onSetAside(change, error);
    });

  /** Processes one chunk of each organization. Returns whether there was any. */
  async function makeRound(shouldContinue: () => boolean): Promise<boolean> {
    let hasAny = false;
    await stepwise(async (after: string | null) => {
      const page = await changes.listFirst(after ?? NONE, ORGANIZATIONS_AT_ONCE, [...setAside.keys()]);
      for (const change of page) await tryFollow(change);
      hasAny ||= page.length > 0;
      return page.length < ORGANIZATIONS_AT_ONCE ? null : (page.at(-1)?.organizationId ?? null);
    }, shouldContinue);
    return hasAny;
  }

  return async (shouldContinue) => {
    for (let round = 0; round < ROUNDS_MAX && shouldContinue(); round++)
      if (!(await makeRound(shouldContinue))) return;
  };
}
