import type { Knex } from 'knex';

const KEYS = '{measurementPeriodBase,measurementPeriodFactor,transmissionInterval,alarmRules,calendars}';

/** So far a device refused all that was pending or nothing: the version before goes on to write no keys. */
export const up = (sql: Knex) =>
  sql.raw(`
    alter table device_configs add column refused_keys text[];
    comment on column device_configs.refused_keys is
      'The settings of the pending change that the device refused, which are not offered any more. Null: '
      'all of them, if there is a failure_reason.';
    comment on column device_configs.failure_reason is
      'Why the device refused the pending change, or some of its settings. Null: not refused.';
    update device_configs set refused_keys = '${KEYS}' where failure_reason is not null`);

export const down = (sql: Knex) =>
  sql.raw(`
    alter table device_configs drop column refused_keys;
    comment on column device_configs.failure_reason is
      'Why the device refused the pending change, which is then not offered any more. Null: not refused.'`);
