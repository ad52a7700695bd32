/** Text: the sweep goes through all organizations. */

const LISTED_MAX = 100;

export const LIST = `
  select organization_id as "organizationId", id from group_withdrawals order by id limit ${LISTED_MAX}`;
