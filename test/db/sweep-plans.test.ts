/**
 * Sweeps find due rows by an index: their statements do not take longer with more rows that are not due. So do pages that
 * are drawn every few seconds and show few rows.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { PARTITIONED_TABLES } from '../../migrations/partitioned-tables.ts';
import { createAlertsRepository } from '../../src/alerts/alerts.repository.ts';
import { serviceSources } from '../../src/compose/service-metrics.ts';
import { composeSlices } from '../../src/compose/slices.ts';
import { type Sweep, sweepsOf } from '../../src/compose/sweeps.ts';
import { createConfigJobsRepository } from '../../src/config-jobs/config-jobs.repository.ts';
import type { Database } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';
import { createClaimsRepository } from '../../src/deliveries/claims.repository.ts';
import { createEndpointHealthRepository } from '../../src/endpoints/endpoint-health.repository.ts';
import { createMutesRepository } from '../../src/mutes/mutes.repository.ts';
import { createNotificationAlertsRepository } from '../../src/notifications/notification-alerts.repository.ts';
import { createPastDevicesRepository } from '../../src/operator/past-devices.repository.ts';
import { createStartRepository } from '../../src/operator/start.repository.ts';
import { firstIdAt } from '../../src/process/uuid.ts';
import { useResources } from '../support/resources.ts';
import { useService } from '../support/service.ts';

const ROWS = 3_000;
/** Rows that a statement may read from tables with thousands, none of them due. */
const ROWS_READ_MAX = 50;
/** As many as the sweeps have opened, or more. */
const CONNECTIONS = 4;
/** If a configuration is due, the retention reads all rows that may refer to it; here none is due. */
const SWEPT = [
  'overdue devices',
  'offsets of time zones',
  'missing runs of jobs',
  'missing runs of endpoints',
  'missing runs of escalations',
  'escalations of overdue fleets',
  'changes of escalations',
  'snoozed alerts',
  'retention',
];

describe('Sweeps', () => {
  const dms = useService({ withWorker: false });
  const resources = useResources(dms);
  let sweeps: Sweep[];

  before(async () => {
    sweeps = sweepsOf(resources, composeSlices(resources)).filter(({ name }) => SWEPT.includes(name));
    await addRows();
    await addFleet();
    // Checks each row for the first time, as after an upgrade.
    for (const { run } of sweeps) await run(() => true);
    await query(dms.service.sql, 'vacuum analyze');
  });

  /** Devices that are online, alerts and jobs: nothing is due for any of them. */
  async function addRows(): Promise<void> {
    const statements = [
      `insert into assets (organization_id, serial_number, name)
       select id, 'DEVICE-' || n, '' from organizations, generate_series(1, ${ROWS}) as n`,
      `insert into device_configs (organization_id, asset_id) select organization_id, id from assets`,
      `insert into device_states (organization_id, asset_id, status, last_contact_at, expected_by)
       select organization_id, id, 'online', now(), now() + interval '1 day' from assets`,
      `insert into overdue_checks (organization_id, asset_id, check_at)
       select organization_id, asset_id, expected_by from device_states`,
      `insert into alerts (organization_id, asset_id, serial_number, type, status, details, started_at)
       select organization_id, id, serial_number, 'no_data', 'resolved', '{}', now() from assets`,
      // One third is over, one is not due, one is due and muted; all were checked just now.
      `insert into alert_escalations (organization_id, alert_id, policy_id, state, began_at, next_step_at, muted_until,
         workflow_checked_at)
       select organization_id, id, id, case when n = 0 then 'resolved' else 'open' end, now(),
         now() + case when n = 1 then interval '1 day' else interval '-1 hour' end,
         case when n = 2 then now() + interval '1 day' end, now() + interval '1 day'
       from (select *, row_number() over () % 3 as n from alerts) as numbered`,
      // They were notified, and wait for nothing.
      `insert into notification_alerts (organization_id, alert_id, channel_id, kind)
       select organization_id, id, organization_id, 'opening' from alerts`,
      `insert into mutes (organization_id, asset_id, starts_at, ends_at, reason, actor)
       select organization_id, id, now(), now() + interval '1 day', 'Defrosting', '{"name": "Night shift"}' from assets`,
      `insert into config_jobs (organization_id, profile_slug, profile_snapshot, status, target_count, target_counts,
         deadline_at, finished_at)
       select organization_id, 'old', '{"schedule": {"timezone": "Europe/Stockholm"}}', 'succeeded', 0, '{}', now(), now()
       from assets`,
      `insert into configurations (organization_id, id, content)
       select organization_id, id, '{"calendars": []}' from assets`,
      // A disabled endpoint with a long queue, and one with as many delivered deliveries.
      `insert into endpoints (organization_id, collection, name, url, status, disabled_reason, events)
       select id, 'event', status, 'http://127.0.0.1', status, case status when 'disabled' then 'customer' end, '{x}'
       from organizations, unnest('{active,disabled}'::text[]) as status`,
      `insert into deliveries (organization_id, endpoint_id, event_id, event_type, state)
       select organization_id, id, id, 'x',
         case when status = 'active' then 'delivered' when n % 2 = 0 then 'pending' else 'retrying' end
       from endpoints, generate_series(1, ${ROWS}) as n`,
    ];
    for (const statement of statements) await query(dms.service.sql, statement);
  }

  /** An overdue fleet, without a policy for its alerts. */
  async function addFleet(): Promise<void> {
    const statements = [
      `insert into alerts (organization_id, asset_id, serial_number, type, status, details, started_at, is_announced)
       select organization_id, id, serial_number, 'no_data', 'new', '{}', now(), false from assets`,
      `insert into overdue_fleets (organization_id, since, overdue_count, total_count) select id, now(), 25, 25 from organizations`,
      `insert into escalation_policies
         (organization_id, name, alert_types, severities, group_ids, steps, channel_ids, status)
       select id, type, array[type], array[severity], '{}', '[]', '{}', 'active'
       from organizations, (values ('high_temp', 'critical'), ('no_data', 'warning')) as matched (type, severity)`,
    ];
    for (const statement of statements) await query(dms.service.sql, statement);
  }

  const rowsRead = async (): Promise<number> => {
    const [row] = await query<{ rows: number }>(
      dms.service.sql,
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as rows from pg_stat_user_tables
       where relname in ('assets', 'device_configs', 'device_states', 'alerts', 'config_jobs', 'configurations',
           'alert_escalations', 'escalation_changes', 'escalation_policies', 'overdue_checks', 'overdue_fleets', 'mutes',
           'notification_alerts')
         or relname like 'deliveries%'`,
    );
    return row?.rows ?? 0;
  };
  /** PostgreSQL publishes statistics of a connection once it has been idle for a moment, or closes. */
  async function settledRowsRead(): Promise<number> {
    const pools = [...Array(CONNECTIONS).fill(resources.sql), dms.service.sql];
    await Promise.all(pools.map((sql) => query(sql, 'select pg_stat_force_next_flush(), pg_sleep(0.05)')));
    return rowsRead();
  }

  for (const name of SWEPT) {
    it(`reads next to no rows for ${name} while nothing is due`, async () => {
      const sweep = sweeps.find((each) => each.name === name) as Sweep;
      const before = await settledRowsRead();
      await sweep.run(() => true);
      const read = (await settledRowsRead()) - before;
      assert.ok(read <= ROWS_READ_MAX, `${read} rows were read`);
    });
  }

  it('reads next to no rows for metrics', async () => {
    const before = await settledRowsRead();
    const counts = await createEndpointHealthRepository(resources.sql).countByState();
    assert.equal(counts.oldestDueSeconds, 0);
    const { jobs, partitions } = serviceSources(resources);
    assert.deepEqual(await jobs(), { running: 0, overdue: 0, withoutRun: 0 });
    assert.equal((await partitions())?.length, PARTITIONED_TABLES.length);
    const read = (await settledRowsRead()) - before;
    assert.ok(read <= ROWS_READ_MAX, `${read} rows were read`);
  });

  it('reads next to no rows for endpoints with new deliveries while another endpoint has a long queue', async () => {
    const before = await settledRowsRead();
    const pending = await createClaimsRepository(resources.sql, randomUUID()).listPendingEndpoints(
      firstIdAt(new Date(0)),
    );
    assert.deepEqual(pending, []);
    const read = (await settledRowsRead()) - before;
    assert.ok(read <= ROWS_READ_MAX, `${read} rows were read`);
  });

  const PAGES: Record<string, (sql: Database, organizationId: string) => Promise<unknown>> = {
    'jobs that need somebody': (sql, id) =>
      createStartRepository(sql).listTroubledJobs(id, { since: new Date(0), limit: 5 }),
    'jobs of a rare status': (sql, id) =>
      createConfigJobsRepository(sql).list(id, { status: 'aborted', before: null, limit: 25 }),
    'retries of a job': (sql, id) =>
      createConfigJobsRepository(sql).hasOpenRetry({ organizationId: id, jobId: id }),
    'the alerts of a channel that is deleted': (sql, id) =>
      createNotificationAlertsRepository(sql).removeAll({ organizationId: id, channelId: randomUUID() }),
    'mutes that have not ended': (sql, id) => createMutesRepository(sql).listCurrent(id, 10),
    'archived devices': (sql, id) =>
      createPastDevicesRepository(sql).list(id, { q: 'x', before: null, limit: 25 }),
    'the oldest new alerts': (sql, id) =>
      createAlertsRepository(sql).listOldestNew(id, { type: 'no_data', severity: 'critical', limit: 2 }),
    'warnings of a type that is critical': (sql, id) =>
      createAlertsRepository(sql).list(id, {
        type: 'no_data',
        severity: 'warning',
        before: null,
        limit: 25,
      }),
  };
  for (const [name, read] of Object.entries(PAGES)) {
    it(`reads next to no rows for ${name}`, async () => {
      const before = await settledRowsRead();
      await read(resources.sql, dms.id);
      const rows = (await settledRowsRead()) - before;
      assert.ok(rows <= ROWS_READ_MAX, `${rows} rows were read`);
    });
  }
});
