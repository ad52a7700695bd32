import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    alter table operator_sessions
      add column invited_by uuid,
      add constraint operator_sessions_inviter_fkey foreign key (organization_id, invited_by)
        references operator_sessions (organization_id, id) on delete cascade;
    create index operator_sessions_inviter_idx on operator_sessions (organization_id, invited_by)
      where invited_by is not null;
    comment on column operator_sessions.invited_by is
      'The session without a key in which the link was made: the session ends with it. Null: a key or the command line.'`);

export const down = (sql: Knex) => sql.raw('alter table operator_sessions drop column invited_by');
