/** Text: sweeps and metrics over the jobs of all organizations. */

/** Ending a large job takes its run some minutes. */
const STUCK_AFTER_MINUTES = 15;
/** The end of a job takes its run a moment. */
const OVERDUE_AFTER_MINUTES = 2;
const COUNTED_MAX = 10_000;

/** Running jobs, and scheduled ones, the soonest first; of both, those whose last check is the longest ago. */
export const LIST_WITHOUT_WORKFLOW = `
  select organization_id as "organizationId", id as "jobId", is_stuck as "isStuck" from ((
    select organization_id, id, deadline_at < now() - make_interval(mins => ${STUCK_AFTER_MINUTES}) as is_stuck,
      coalesce(workflow_checked_at, '-infinity') as checked_at
    from config_jobs
    where status = 'running'
      and coalesce(workflow_checked_at, '-infinity') < now() - make_interval(secs => :olderThanSeconds)
    order by coalesce(workflow_checked_at, '-infinity') limit :limit
  ) union all (
    select organization_id, id, false, coalesce(workflow_checked_at, '-infinity') from config_jobs
    where status = 'scheduled'
      and coalesce(workflow_checked_at, '-infinity') < now() - make_interval(secs => :olderThanSeconds)
    order by start_at limit :limit
  )) as missing
  order by checked_at limit :limit`;

/** Up to 10,000 jobs, the ones first whose last check is the longest ago. */
export const COUNT_RUNNING = `
  select count(*) as running,
    count(*) filter (where deadline_at < now() - make_interval(mins => ${OVERDUE_AFTER_MINUTES})) as overdue,
    count(*) filter (where greatest(workflow_checked_at, start_at, created_at)
      < now() - make_interval(secs => :withoutRunSeconds)) as "withoutRun"
  from (
    select deadline_at, workflow_checked_at, start_at, created_at from config_jobs where status = 'running'
    order by coalesce(workflow_checked_at, '-infinity') limit ${COUNTED_MAX}
  ) as running`;
