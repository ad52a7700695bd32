/** The baseline: bare Koa with the one necessary query, on a pool of the same size. */
import type { IncomingMessage } from 'node:http';
import Koa from 'koa';
import { openDatabase } from '../src/db/database.ts';
import { query } from '../src/db/query.ts';
import { POOL_SIZE } from './support/stack.ts';

const sql = openDatabase({
  url: process.env.DATABASE_URL as string,
  poolSize: POOL_SIZE,
  statementTimeoutMs: 0,
  applicationName: 'baseline',
});

const CONFIG = `select d.*, a.serial_number, a.name from assets a join device_configs d on d.organization_id = a.organization_id and d.asset_id = a.id
  where a.organization_id = ? and lower(a.serial_number) = lower(?) and a.archived_at is null`;
const LIST = `select page.*, total from (select count(*) as total from assets
    where organization_id = ? and archived_at is null) as counted
  left join (select a.*, s.status, s.signal_strength, s.battery_status, s.last_reading_at from assets a join device_states s on s.organization_id = a.organization_id and s.asset_id = a.id
    where a.organization_id = ? and archived_at is null order by id limit 51) as page on true
  order by page.id`;

const STORE = `insert into measurement_blocks
    (organization_id, asset_id, first_at, last_at, received_at, channel, type, scale, late, numbers)
  select a.organization_id, a.id, min(r."measuredAt"), max(r."measuredAt"), now(), r.channel, 1, 0, false,
    array_agg(r.value order by r."measuredAt")
  from assets a, json_to_recordset(?::json) as r ("measuredAt" timestamptz, channel smallint, value double precision)
  where a.organization_id = ? and lower(a.serial_number) = lower(?)
  group by a.organization_id, a.id, r.channel`;

async function readBody(request: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as { readings: object[] };
}

const app = new Koa();
app.use(async (ctx) => {
  if (ctx.path === '/parse') {
    await readBody(ctx.req);
    ctx.body = 'ok';
    return;
  }
  const [, organizationId = '', what, serial = ''] = ctx.path.split('/');
  if (what === 'config') ctx.body = (await query<object>(sql, CONFIG, [organizationId, serial]))[0];
  else if (what === 'assets') ctx.body = await query<object>(sql, LIST, [organizationId, organizationId]);
  else if (what === 'store') {
    const { readings } = await readBody(ctx.req);
    await query(sql, STORE, [JSON.stringify(readings), organizationId, serial]);
    ctx.body = 'ok';
  } else ctx.body = 'ok';
});
app.listen(Number(process.env.PORT), '127.0.0.1');
