/** Fills a database with a large installation, by statements that generate the rows in PostgreSQL. */
import { DELIVERY_TABLES } from '../../migrations/partitioned-tables.ts';
import type { Database } from '../../src/db/database.ts';
import { createPartitionKeeper } from '../../src/db/partitions.ts';
import { query } from '../../src/db/query.ts';
import { DAY_MS } from '../../src/process/durations.ts';
import type { Fleet } from '../support/fleet.ts';
import { addFleet } from '../support/fleet.ts';
import { SERIAL_SQL } from '../support/serials.ts';

export interface Loaded {
  devices: number;
  deliveries: number;
  fleets: Fleet[];
  /** A running job over all devices of the first organization. */
  jobId: string;
  /** A disabled endpoint of the first organization, with half of the deliveries. */
  heldEndpointId: string;
  /** An endpoint of the second organization with the other half, nearly all delivered. */
  healthyEndpointId: string;
}

export interface LoadOptions {
  devices: number;
  deliveries: number;
  print(line: string): void;
}

const ORGANIZATIONS = Number(process.env.SIZE_ORGANIZATIONS ?? 10);
const ENDED_JOBS = 20;
const ALERTS_PER_DEVICE = 1;
const DELIVERY_DAYS = 6;
const SCHEDULE = {
  alerts: null,
  schedule: { always: false, days: ['monday'], from: '08:00', to: '18:00', timezone: 'Europe/Stockholm' },
  intervals: null,
};

export async function loadAll(sql: Database, { devices, deliveries, print }: LoadOptions): Promise<Loaded> {
  const fleets: Fleet[] = [];
  for (let number = 0; number < ORGANIZATIONS; number++) {
    if (number % Math.ceil(ORGANIZATIONS / 10) === 0) print(`Organization ${number + 1} of ${ORGANIZATIONS}`);
    const fleet = await addFleet(sql, devices / ORGANIZATIONS, { serialSql: SERIAL_SQL, isVacuumed: false });
    fleets.push(fleet);
    await addHistory(sql, fleet);
  }
  const [first, second] = fleets as [Fleet, Fleet];
  const jobId = await addJob(sql, first, { daysAgo: 0, isRunning: true });
  print('Deliveries');
  await createDays(sql);
  const heldEndpointId = await addEndpoint(sql, first, 'disabled');
  const healthyEndpointId = await addEndpoint(sql, second, 'active');
  await addDeliveries(
    sql,
    { organizationId: first.organizationId, endpointId: heldEndpointId },
    deliveries / 2,
    'pending',
  );
  await addDeliveries(
    sql,
    { organizationId: second.organizationId, endpointId: healthyEndpointId },
    deliveries / 2,
    'delivered',
  );
  print('Vacuum');
  await sql.raw('vacuum analyze');
  return { devices, deliveries, fleets, jobId, heldEndpointId, healthyEndpointId };
}

/** Adds online devices with a schedule, the jobs that brought it, and alerts, few of them open. */
async function addHistory(sql: Database, fleet: Fleet): Promise<void> {
  const { organizationId } = fleet;
  const content = {
    transmissionInterval: 3_600,
    calendars: [{ type: 'WEEK', enableRules: [0], days: [1], fromTime: 480, toTime: 1_080, timezone: 60 }],
  };
  await query(
    sql,
    `insert into configurations (organization_id, id, content)
     select ?, md5(?::text || g)::uuid, ?::json from generate_series(1, 1000) as g`,
    [organizationId, organizationId, JSON.stringify(content)],
  );
  await query(
    sql,
    `update device_configs set reported_config_id = md5(organization_id::text || 1)::uuid, reported_at = now(),
       confirmed_config_id = md5(organization_id::text || 1)::uuid, sync_status = 'applied' where organization_id = ?`,
    [organizationId],
  );
  await query(
    sql,
    `update device_states set status = 'online', last_contact_at = now(), last_reading_at = now(),
       last_reading_from = date_trunc('hour', now() - random() * interval '12 hours'),
       expected_by = now() + interval '2 hours' + random() * interval '10 hours' where organization_id = ?`,
    [organizationId],
  );
  await query(
    sql,
    `insert into overdue_checks (organization_id, asset_id, check_at)
     select organization_id, asset_id, expected_by from device_states where organization_id = ?`,
    [organizationId],
  );
  for (let job = 1; job <= ENDED_JOBS; job++) {
    await addJob(sql, fleet, { daysAgo: job, isRunning: false, share: job === 1 ? 1 : 0.02 });
  }
  await query(
    sql,
    `insert into alerts (id, organization_id, asset_id, serial_number, type, status, details, started_at, updated_at)
     select uuidv7(-random() * interval '300 days'), organization_id, id, serial_number, 'no_data',
       case when random() < 0.01 then 'new' else 'resolved' end, '{"expectedBy": "2026-01-01T00:00:00.000Z"}',
       now(), now() - random() * interval '300 days'
     from assets, generate_series(1, ?::integer) where organization_id = ?`,
    [ALERTS_PER_DEVICE, organizationId],
  );
}

async function addJob(
  sql: Database,
  { organizationId }: Fleet,
  { daysAgo, isRunning, share = 1 }: { daysAgo: number; isRunning: boolean; share?: number },
): Promise<string> {
  const [job] = await query<{ id: string }>(
    sql,
    `insert into config_jobs (id, organization_id, profile_slug, profile_snapshot, status, target_count, target_counts,
       deadline_at, created_at, finished_at, workflow_checked_at)
     select uuidv7(-make_interval(days => ?)), ?, 'hours', ?::jsonb, ?, count(*),
       case when ? then null else jsonb_build_object('applied', count(*)) end,
       now() + interval '20 days', now(), case when ? then null else now() - make_interval(days => ?) end, now()
     from assets where organization_id = ? returning id`,
    [
      daysAgo,
      organizationId,
      JSON.stringify(SCHEDULE),
      isRunning ? 'running' : 'succeeded',
      isRunning,
      isRunning,
      daysAgo,
      organizationId,
    ],
  );
  const { id } = job as { id: string };
  await query(
    sql,
    `insert into config_targets (organization_id, job_id, asset_id, change_config_id, state, is_active, reason)
     select organization_id, ?, id, md5(organization_id::text || 1)::uuid, state, ?,
       case when state = 'failed' then 'the device refused the change' end
     from assets,
       lateral (select case when not ? then 'applied' when random() < 0.0005 then 'failed' else 'waiting' end as state) as s
     where organization_id = ? and random() <= ?`,
    [id, isRunning, isRunning, organizationId, share],
  );
  return id;
}

async function createDays(sql: Database): Promise<void> {
  const days = Array.from({ length: DELIVERY_DAYS + 1 }, (_, day) => new Date(Date.now() - day * DAY_MS));
  for (const table of DELIVERY_TABLES) await createPartitionKeeper(sql, table).ensure(days);
}

async function addEndpoint(sql: Database, { organizationId }: Fleet, status: string): Promise<string> {
  const [row] = await query<{ id: string }>(
    sql,
    `insert into endpoints (organization_id, collection, name, url, status, disabled_reason, events)
     values (?, 'event', 'held', 'http://127.0.0.1:9/', ?, ?, array['config.applied']) returning id`,
    [organizationId, status, status === 'active' ? null : 'customer'],
  );
  return (row as { id: string }).id;
}

/** Spread evenly over the last days; a thousand deliveries share an event. */
async function addDeliveries(
  sql: Database,
  { organizationId, endpointId }: { organizationId: string; endpointId: string },
  count: number,
  state: string,
): Promise<void> {
  const at = `-interval '${DELIVERY_DAYS} days' * (1 - g / ?::float8)`;
  await query(
    sql,
    `insert into events (organization_id, id, type, body)
     select ?, uuidv7(${at}), 'config.applied', '{"type": "config.applied"}'
     from generate_series(0, ?::bigint - 1, 1000) as g`,
    [organizationId, count, count],
  );
  await query(
    sql,
    `insert into deliveries (organization_id, endpoint_id, id, event_id, event_type, state, delivered_at)
     select e.organization_id, ?, uuidv7(uuid_extract_timestamp(e.id) - now() + g * interval '1 millisecond'), e.id,
       'config.applied', ?, case when ? = 'delivered' then now() end
     from events e, generate_series(1, 1000) as g where e.organization_id = ?`,
    [endpointId, state, state, organizationId],
  );
}
