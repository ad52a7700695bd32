import type { Knex } from 'knex';

/** A job that its run begins is before its first stage; before, its first stage was one without devices. */
export async function up(sql: Knex): Promise<void> {
  await sql.raw(`
    alter table config_jobs drop constraint config_jobs_stage_check;
    alter table config_jobs add constraint config_jobs_stage_check
      check (current_stage >= 0 and current_stage <= stage_count);
    comment on column config_jobs.current_stage is
      'The stage that is under way, from 1 to stage_count. 0: the run of the job begins the first one.';
    update config_jobs j set is_beginning_stage = true
    where j.status in ('scheduled', 'running') and j.current_stage = 1 and j.stage_count > 1 and not exists (
      select from config_targets t
      where t.organization_id = j.organization_id and t.job_id = j.id and t.stage = 1
    )`);
}

export async function down(sql: Knex): Promise<void> {
  await sql.raw(`
    update config_jobs set current_stage = 1 where current_stage = 0;
    alter table config_jobs drop constraint config_jobs_stage_check;
    alter table config_jobs add constraint config_jobs_stage_check
      check (current_stage >= 1 and current_stage <= stage_count);
    comment on column config_jobs.current_stage is
      'The stage that is under way, from 1 to stage_count.'`);
}
