import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    alter table alerts
      add column severity text not null default 'critical',
      add constraint alerts_severity_check check (severity in ('warning', 'critical'));
    create index alerts_warning_idx on alerts (organization_id, id) where severity = 'warning';
    comment on column alerts.severity is 'As the definition of the alert says; of other alerts critical.';
    comment on column alerts.started_at is
      'Time of the first reading of the breach, of the frame that opened it, or of the missed deadline.';
    comment on column device_states.open_alerts is
      'The alerts that are open for the device, and, without an alertId, the breaches that have not lasted their delay: '
      'so that readings are evaluated under the lock of this row, without a look-up in alerts.'`);

export const down = (sql: Knex) =>
  sql.raw(`
    alter table alerts drop constraint alerts_severity_check, drop column severity;
    comment on column alerts.started_at is 'Time of the reading that opened it; for no_data, of the missed deadline.';
    comment on column device_states.open_alerts is
      'The alerts that are open for the device, so that readings are evaluated under the lock of this row, without '
      'a look-up in alerts.'`);
