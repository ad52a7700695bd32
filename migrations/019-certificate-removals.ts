import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table certificate_removals (
      organization_id uuid not null,
      content_id uuid not null,
      due_at timestamptz not null,
      constraint certificate_removals_pkey primary key (organization_id, content_id),
      constraint certificate_removals_organization_fkey foreign key (organization_id) references organizations (id)
    );
    create index certificate_removals_due_idx on certificate_removals (due_at);
    comment on table certificate_removals is
      'Contents that no certificate refers to: of uploads that are under way or broke off, and of replaced '
      'certificates.';
    comment on index certificate_removals_due_idx is
      'Not by organization: a sweep removes what is due in all of them.'`);

export const down = (sql: Knex) => sql.raw('drop table certificate_removals');
