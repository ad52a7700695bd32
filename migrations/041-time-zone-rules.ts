import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table time_zone_rules (
      is_only boolean not null default true,
      version text not null collate "C",
      constraint time_zone_rules_pkey primary key (is_only),
      constraint time_zone_rules_is_only_check check (is_only)
    );
    comment on table time_zone_rules is
      'One row: the release of the time zone database by which calendars were last compared with their zones. Of the '
      'service itself, not of an organization.';
    comment on column time_zone_rules.is_only is 'Always true: there is one row.';
    comment on column time_zone_rules.version is 'Such as 2025c; later releases sort behind earlier ones.'`);

export const down = (sql: Knex) => sql.raw('drop table time_zone_rules');
