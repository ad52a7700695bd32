import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table operator_sessions (
      organization_id uuid not null,
      id uuid not null,
      link_hash bytea not null,
      name text not null,
      role text not null,
      key_id uuid,
      link_expires_at timestamptz not null,
      started_at timestamptz,
      expires_at timestamptz,
      created_at timestamptz not null default now(),
      constraint operator_sessions_pkey primary key (organization_id, id),
      constraint operator_sessions_role_check check (role in ('admin', 'write', 'read')),
      constraint operator_sessions_started_check check ((started_at is null) = (expires_at is null))
    );
    comment on table operator_sessions is
      'Sign-in links of the operators'' page, and the sessions that they have begun.';
    comment on column operator_sessions.link_hash is 'SHA-256 of the secret in the link.';
    comment on column operator_sessions.name is 'Of the person, for the audit trail.';
    comment on column operator_sessions.key_id is
      'The key that asked for the link: the session ends with it. Null: the command line.';
    comment on column operator_sessions.started_at is 'When the link was used, which it is once. Null: not yet.';
    comment on column operator_sessions.expires_at is 'The end of the session. Null: it has not begun.'`);

export const down = (sql: Knex) => sql.raw('drop table operator_sessions');
