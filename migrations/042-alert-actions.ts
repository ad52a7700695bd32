import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    alter table alerts
      add column acknowledged_at timestamptz,
      add column acknowledged_by jsonb,
      add column assignee text,
      add column snooze_until timestamptz;
    update alerts set acknowledged_at = updated_at where status = 'acknowledged';
    create index alerts_snooze_idx on alerts (snooze_until) where status = 'acknowledged' and snooze_until is not null;
    comment on column alerts.acknowledged_at is 'Null: not acknowledged, or new again since a snooze has ended.';
    comment on column alerts.acknowledged_by is
      'Key and name, as in audit_entries. Null: not acknowledged, or by a release that kept it in audit_entries alone.';
    comment on column alerts.assignee is 'Who takes care of it, as somebody has written it. Null: not said.';
    comment on column alerts.snooze_until is
      'When an acknowledged alert that is still open becomes new again. Null: it stays acknowledged.';
    comment on index alerts_snooze_idx is 'Without organization_id: a sweep of the worker over all organizations.';
    create table alert_actions (
      organization_id uuid not null,
      alert_id uuid not null,
      id uuid not null default uuidv7(),
      action text not null,
      actor jsonb,
      comment text,
      constraint alert_actions_pkey primary key (organization_id, alert_id, id),
      constraint alert_actions_alert_fkey foreign key (organization_id, alert_id)
        references alerts (organization_id, id) on delete cascade,
      constraint alert_actions_action_check
        check (action in ('acknowledged', 'assigned', 'commented', 'snoozed', 'snooze_ended'))
    );
    comment on table alert_actions is
      'What people and the service did about an alert, in the order of the ids; rows are never changed. The beginning '
      'and the end of the alert are in alerts.';
    comment on column alert_actions.actor is 'Key and name, as in audit_entries. Null: the service.';
    comment on column alert_actions.comment is
      'commented: the text; assigned: to whom, null for nobody; snoozed: until when, in ISO 8601. Null otherwise.'`);

export const down = (sql: Knex) =>
  sql.raw(`
    drop table alert_actions;
    alter table alerts
      drop column acknowledged_at, drop column acknowledged_by, drop column assignee, drop column snooze_until`);
