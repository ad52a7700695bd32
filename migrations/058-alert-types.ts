import type { Knex } from 'knex';

/** The new constraint is validated in a transaction of its own, without a lock that others wait for. */
export const config = { transaction: false };

const TYPES = `('high_temp', 'low_temp', 'no_data', 'low_battery', 'sensor_error')`;
const TYPES_BEFORE = `('high_temp', 'low_temp', 'no_data')`;

const DETAILS = `
  comment on column alerts.details is
    'For temperatures: channel, the value that opened the alert and the bounds, in degrees Celsius; '
    'for no_data: the deadline that was missed; for sensor_error: channel and error code.'`;
const DETAILS_BEFORE = `
  comment on column alerts.details is
    'For temperatures: channel, the value that opened the alert and the bounds, in degrees Celsius; '
    'for no_data: the deadline that was missed.'`;

export async function up(sql: Knex): Promise<void> {
  await replaceCheck(sql, TYPES);
  await sql.raw(DETAILS);
}

export async function down(sql: Knex): Promise<void> {
  await sql.raw(`delete from alerts where type not in ${TYPES_BEFORE}`);
  await replaceCheck(sql, TYPES_BEFORE);
  await sql.raw(DETAILS_BEFORE);
}

async function replaceCheck(sql: Knex, types: string): Promise<void> {
  await sql.transaction(async (trx) => {
    await trx.raw(`set local lock_timeout = '5s'`);
    await trx.raw(`alter table alerts drop constraint if exists alerts_type_check,
      add constraint alerts_type_check check (type in ${types}) not valid`);
  });
  await sql.raw('alter table alerts validate constraint alerts_type_check');
}
