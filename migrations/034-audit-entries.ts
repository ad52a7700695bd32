import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table audit_entries (
      organization_id uuid not null,
      id uuid not null default uuidv7(),
      key_id uuid,
      actor_name text not null collate "C",
      action text not null,
      subject text not null collate "C",
      before json,
      after json,
      constraint audit_entries_pkey primary key (organization_id, id)
    ) partition by range (id);
    create index audit_entries_actor_key_idx on audit_entries (organization_id, key_id, id);
    create index audit_entries_actor_name_idx on audit_entries (organization_id, actor_name, id);
    create index audit_entries_subject_idx on audit_entries (organization_id, subject, id);
    comment on table audit_entries is
      'Who changed what: a row per change, written in its transaction. Partitioned by month of the UUIDv7 id, which '
      'is also the time of the change; old partitions are dropped.';
    comment on column audit_entries.key_id is 'Null: the change was made with the command line.';
    comment on column audit_entries.actor_name is 'The name of the key at that time.';
    comment on column audit_entries.action is 'The operationId.';
    comment on column audit_entries.subject is 'The id, slug or serial number of what was changed.';
    comment on column audit_entries.before is 'What GET showed before, without secrets. Null: nothing.';
    comment on column audit_entries.after is 'What GET showed after, without secrets. Null: nothing.'`);

export const down = (sql: Knex) => sql.raw('drop table audit_entries');
