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
