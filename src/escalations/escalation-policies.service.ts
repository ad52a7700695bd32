/** The operations of customers on escalations. Each is one transaction. */
import type { Database } from '../db/database.ts';
import type { Transact } from '../db/transaction.ts';
import { type LockedGroups, requireGroups } from '../groups/group.ts';
import { NO_SUCH_CHANNEL } from '../notifications/notification-channel.ts';
import { conflict, notFound, orNotFound } from '../process/errors.ts';
import type { EscalationChangesRepository } from './escalation-changes.repository.ts';
import type { PoliciesRepository } from './escalation-policies.repository.ts';
import {
  type ChangePolicy,
  type CreatePolicy,
  channelsOf,
  type EscalationPolicy,
  NO_SUCH_POLICY,
  newPolicy,
  POLICIES_FULL,
  POLICIES_MAX,
  type PolicyRef,
} from './escalation-policy.ts';

interface PoliciesServiceDeps {
  policiesIn(sql: Database): PoliciesRepository;
  /** A sweep makes open escalations follow these changes. */
  changesIn(sql: Database): Pick<EscalationChangesRepository, 'insertPolicy'>;
  /** Keeps the channels from being deleted until the transaction ends. Returns the ids that exist. */
  channelsIn(sql: Database): { lockKeys(organizationId: string, ids: string[]): Promise<string[]> };
  groupsIn(sql: Database): LockedGroups;
  now(): Date;
}

export type PoliciesService = ReturnType<typeof createPoliciesService>;

export function createPoliciesService(deps: PoliciesServiceDeps) {
  const { policiesIn, changesIn } = deps;

  async function requireChannels(sql: Database, organizationId: string, ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const found = await deps.channelsIn(sql).lockKeys(organizationId, ids);
    if (found.length < ids.length) throw notFound(NO_SUCH_CHANNEL);
  }

  return {
    /** @throws not found when a channel or group does not exist, conflict when there are too many */
    add(transact: Transact, organizationId: string, request: CreatePolicy): Promise<EscalationPolicy> {
      const fields = newPolicy(request);
      return transact(async ({ sql }) => {
        await requireGroups(deps.groupsIn(sql), organizationId, fields.groupIds);
        await requireChannels(sql, organizationId, channelsOf(fields.steps));
        const policies = policiesIn(sql);
        await policies.lockAll(organizationId);
        if ((await policies.count(organizationId)) >= POLICIES_MAX) throw conflict(POLICIES_FULL);
        return policies.insert(organizationId, fields);
      });
    },

    /** Absent fields stay. Steps that are not made yet follow the change. */
    change(transact: Transact, given: PolicyRef, change: ChangePolicy): Promise<EscalationPolicy> {
      return transact(async ({ sql }) => {
        const before = orNotFound(await policiesIn(sql).lock(given), NO_SUCH_POLICY);
        const ref = { organizationId: given.organizationId, policyId: before.id };
        // A client may send back groups that it was shown and that are deleted by now.
        const added = (change.groupIds ?? []).filter((id) => !before.groupIds.includes(id));
        await requireGroups(deps.groupsIn(sql), ref.organizationId, added);
        await requireChannels(sql, ref.organizationId, channelsOf(change.steps ?? []));
        const isDisabled = before.status === 'active' && change.status === 'disabled';
        const disabledAt = isDisabled ? deps.now() : before.disabledAt;
        const after = await policiesIn(sql).update(ref, { ...before, ...change, disabledAt });
        if (isPlannedAnew(before, after)) await changesIn(sql).insertPolicy(ref);
        return after;
      });
    },

    remove(transact: Transact, ref: PolicyRef): Promise<void> {
      return transact(async ({ sql }) => {
        if (!(await policiesIn(sql).remove(ref))) throw notFound(NO_SUCH_POLICY);
        await changesIn(sql).insertPolicy(ref);
      });
    },
  };
}

/** Whether the change concerns open escalations: their next step, or whether one follows. Both as stored. */
const isPlannedAnew = (before: EscalationPolicy, after: EscalationPolicy): boolean =>
  before.status !== after.status ||
  before.repeatMinutes !== after.repeatMinutes ||
  JSON.stringify(before.steps) !== JSON.stringify(after.steps);
