/** Text: statements over the few overdue fleets of all organizations. */

export const LIST = 'select * from overdue_fleets order by organization_id';

export const COUNT = 'select count(*) as count from overdue_fleets';

export const LIST_ORGANIZATIONS = `
  select organization_id as "organizationId" from overdue_fleets order by organization_id`;
