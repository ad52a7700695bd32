/** Text: the sweep goes through all organizations. */

export const LIST_WITHOUT_WORKFLOW = `
  select organization_id as "organizationId", id as "withdrawalId" from group_withdrawals
  where coalesce(workflow_checked_at, '-infinity') < now() - make_interval(secs => :olderThanSeconds)
  order by coalesce(workflow_checked_at, '-infinity') limit :limit`;
