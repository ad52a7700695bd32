/** The steps in which people are notified of an alert until it is acknowledged. */
import { ALERT_TYPES, type AlertType } from '../alerts/alert.ts';
import { SEVERITIES, type Severity } from '../devices/alert-terms.ts';

export const POLICY_STATUSES = ['active', 'disabled'] as const;
type PolicyStatus = (typeof POLICY_STATUSES)[number];

export const POLICIES_MAX = 100;
export const STEPS_MAX = 10;
export const STEP_MINUTES_MAX = 10_080;
export const STEP_CHANNELS_MAX = 20;
export const REPEAT_MINUTES_MIN = 5;
export const REPEAT_MINUTES_MAX = 1_440;

export interface PolicyRef {
  organizationId: string;
  policyId: string;
}

export interface EscalationStep {
  /** Counted from the beginning of the escalation. */
  afterMinutes: number;
  channelIds: string[];
}

export interface PolicyFields {
  name: string;
  alertTypes: AlertType[];
  severities: Severity[];
  /** Empty: all. */
  groupIds: string[];
  /** Ordered by minutes. */
  steps: EscalationStep[];
  /** Interval between repeats of the last step; null: it is not repeated. */
  repeatMinutes: number | null;
  status: PolicyStatus;
}

export interface EscalationPolicy extends PolicyFields {
  id: string;
  /** When it was last disabled: escalations that began until then have ended. Null: never. */
  disabledAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export type CreatePolicy = Partial<PolicyFields> & Pick<PolicyFields, 'name' | 'steps'>;
export type ChangePolicy = Partial<PolicyFields>;

export const newPolicy = (given: CreatePolicy): PolicyFields => ({
  alertTypes: [...ALERT_TYPES],
  severities: [...SEVERITIES],
  groupIds: [],
  repeatMinutes: null,
  status: 'active',
  ...given,
});

export const channelsOf = (steps: readonly EscalationStep[]): string[] => [
  ...new Set(steps.flatMap(({ channelIds }) => channelIds)),
];

export type PolicyView = ReturnType<typeof policyView>;

export const policyView = ({ id, disabledAt, createdAt, updatedAt, ...fields }: EscalationPolicy) => ({
  id,
  recType: 'escalation',
  ...fields,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

export const NO_SUCH_POLICY = 'No escalation has this id';
export const POLICIES_FULL = `There are ${POLICIES_MAX} escalations, the most there can be: delete one`;

/**
 * The oldest active policy that matches an alert. The parameters are SQL of its organization, type, severity
 * and group.
 */
export const matchingPolicy = (
  organizationId: string,
  type: string,
  severity: string,
  groupId: string,
): string => `(
      select id, steps from escalation_policies
      where organization_id = ${organizationId} and status = 'active' and ${type} = any(alert_types)
        and ${severity} = any(severities) and (group_ids = '{}' or ${groupId} = any(group_ids))
      order by id limit 1
    )`;
