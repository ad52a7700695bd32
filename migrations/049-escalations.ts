import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table escalation_policies (
      organization_id uuid not null,
      id uuid not null default uuidv7(),
      name text not null,
      alert_types text[] not null,
      severities text[] not null,
      group_ids uuid[] not null,
      steps jsonb not null,
      channel_ids uuid[] not null,
      repeat_minutes integer,
      status text not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      constraint escalation_policies_pkey primary key (organization_id, id),
      constraint escalation_policies_status_check check (status in ('active', 'disabled'))
    );
    comment on table escalation_policies is
      'Who is notified of an alert, step by step, until somebody acknowledges it.';
    comment on column escalation_policies.alert_types is 'The types of alerts that it is for.';
    comment on column escalation_policies.severities is 'The severities of alerts that it is for.';
    comment on column escalation_policies.group_ids is 'Only alerts of assets in these groups. Empty: of all.';
    comment on column escalation_policies.steps is
      'In order: afterMinutes, counted from the beginning of the escalation, and channelIds.';
    comment on column escalation_policies.channel_ids is 'The notification channels of all steps.';
    comment on column escalation_policies.repeat_minutes is
      'The last step is repeated after so long, a few times. Null: it is not.';

    create table alert_escalations (
      organization_id uuid not null,
      alert_id uuid not null,
      policy_id uuid not null,
      state text not null default 'open',
      began_at timestamptz not null,
      steps_made integer not null default 0,
      repeats_made integer not null default 0,
      last_step_at timestamptz,
      next_step_at timestamptz,
      held_until timestamptz,
      muted_until timestamptz,
      fleet_overdue integer,
      fleet_total integer,
      workflow_checked_at timestamptz,
      constraint alert_escalations_pkey primary key (organization_id, alert_id),
      constraint alert_escalations_alert_fkey foreign key (organization_id, alert_id)
        references alerts (organization_id, id) on delete cascade,
      constraint alert_escalations_state_check
        check (state in ('open', 'acknowledged', 'resolved', 'policy_disabled', 'policy_deleted'))
    );
    create index alert_escalations_policy_idx on alert_escalations (organization_id, policy_id, alert_id)
      where state = 'open';
    create index alert_escalations_due_idx on alert_escalations (greatest(next_step_at, held_until, muted_until))
      where state = 'open' and next_step_at is not null;
    create index alert_escalations_muted_idx on alert_escalations (organization_id, muted_until, alert_id)
      where state = 'open' and muted_until is not null;
    create index alert_escalations_without_workflow_idx
      on alert_escalations (coalesce(workflow_checked_at, began_at)) where state = 'open';
    comment on table alert_escalations is
      'The escalation of an alert, inserted with the event of the alert. A step is recorded together with its '
      'notifications. The run escalate-alert waits for the next one, and is started anew from this row.';
    comment on column alert_escalations.policy_id is
      'The oldest policy that matched the alert when it opened. It may have been deleted since.';
    comment on column alert_escalations.state is 'Why no further step follows; open: one may.';
    comment on column alert_escalations.began_at is 'What the minutes of the steps are counted from.';
    comment on column alert_escalations.repeats_made is 'How often the last step was repeated.';
    comment on column alert_escalations.last_step_at is 'Null: no step was made yet.';
    comment on column alert_escalations.next_step_at is
      'When the next step is due by the policy. Null: the last one was made.';
    comment on column alert_escalations.held_until is
      'No step is made earlier: somebody has acknowledged the alert until then. Null: nobody has.';
    comment on column alert_escalations.muted_until is
      'No step is made earlier: the device was muted until then, when the run looked. Null: it was not.';
    comment on column alert_escalations.fleet_overdue is
      'Of a fleet that is overdue, for which this alert stands: how many devices were. Null: it stands for itself.';
    comment on column alert_escalations.fleet_total is 'How many devices the fleet had. Null: it stands for itself.';
    comment on column alert_escalations.workflow_checked_at is
      'When its run last looked here, or a sweep at its run. Null: never.';
    comment on index alert_escalations_due_idx is 'Without organization_id: a sweep of the worker over all organizations.';
    comment on index alert_escalations_without_workflow_idx is
      'Without organization_id: a sweep of the worker over all organizations.';

    create table escalation_changes (
      organization_id uuid not null,
      id uuid not null default uuidv7(),
      policy_id uuid,
      muted_until timestamptz,
      after_alert_id uuid,
      constraint escalation_changes_pkey primary key (organization_id, id),
      constraint escalation_changes_policy_key unique (organization_id, policy_id),
      constraint escalation_changes_muted_key unique (organization_id, muted_until),
      constraint escalation_changes_subject_check check ((policy_id is null) <> (muted_until is null))
    );
    comment on table escalation_changes is
      'What open escalations are yet to follow. A sweep goes through them in chunks, and deletes the row at the end.';
    comment on column escalation_changes.policy_id is 'It was changed, disabled or deleted. Null: a mute has ended.';
    comment on column escalation_changes.muted_until is
      'A mute was to last until then, and has ended earlier. Null: a policy has changed.';
    comment on column escalation_changes.after_alert_id is 'The last alert that is done. Null: none is.';

    alter table notifications add column is_escalation boolean not null default false;
    comment on column notifications.is_escalation is
      'A step of an escalation: quiet hours of the channel do not hold it.';

    alter table alert_actions drop constraint alert_actions_action_check, add constraint alert_actions_action_check
      check (action in ('acknowledged', 'assigned', 'commented', 'snoozed', 'snooze_ended', 'escalated'));
    comment on column alert_actions.comment is
      'commented: the text; assigned: to whom, null for nobody; snoozed: until when, in ISO 8601; escalated: the step '
      'and its channels. Null otherwise.';

    alter table overdue_fleets add column escalated_alert_id uuid;
    comment on column overdue_fleets.escalated_alert_id is
      'The no_data alert that escalates for the whole fleet: who acknowledges it acknowledges the others, too. Null: none '
      'does.'`);

export const down = (sql: Knex) =>
  sql.raw(`
    alter table overdue_fleets drop column escalated_alert_id;
    delete from alert_actions where action = 'escalated';
    alter table alert_actions drop constraint alert_actions_action_check, add constraint alert_actions_action_check
      check (action in ('acknowledged', 'assigned', 'commented', 'snoozed', 'snooze_ended'));
    comment on column alert_actions.comment is
      'commented: the text; assigned: to whom, null for nobody; snoozed: until when, in ISO 8601. Null otherwise.';
    alter table notifications drop column is_escalation;
    drop table escalation_changes;
    drop table alert_escalations;
    drop table escalation_policies`);
