/**
 * What goes wrong around the service, made to happen for real: servers that stop and lose their data, processes that
 * are killed, connections that break. What was acknowledged holds, and nobody has to help.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import pg from 'pg';
import type { RunningPart } from '../src/composition/worker-part.ts';
import { query } from '../src/db/query.ts';
import { freePort } from '../src/embedded/free-port.ts';
import { type RunningPostgres, startPostgres } from '../src/embedded/postgres.ts';
import { startTemporalDevServer, type TemporalDevServer } from '../src/temporal/dev-server.ts';
import { applyProfileId, SEARCH_ATTRIBUTES } from '../src/temporal/workflow-ids.ts';
import {
  apply,
  configOf,
  createProfile,
  eventually,
  FACTORY,
  FRIDGE,
  jobOf,
  obey,
  registerMany,
  untilEnded,
} from './support/fleet.ts';
import { migratedDatabase } from './support/migrated-database.ts';
import { servers } from './support/servers.ts';
import { startService, type TestOrganization, type TestService } from './support/service.ts';
import {
  endAll,
  environmentOf,
  organizationAt,
  type Running,
  startApiProcess,
  startWorkerProcess,
} from './support/stack.ts';

const scratch = mkdtempSync(join(tmpdir(), 'dms-faults-'));
chmodSync(scratch, 0o755); // root's PostgreSQL runs as another user
const FRIDGE_SLUG = 'vaccine-fridge';

after(async () => {
  await endAll();
  rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
});

describe('Without Temporal', function () {
  this.timeout(60_000);
  let dms: TestService;
  let temporal: TemporalDevServer;
  let serials: string[];
  let begun: string;
  let appliedMeanwhile: string;
  let port: number;

  /** In memory without a file. */
  async function startTemporal(dbFile?: string): Promise<void> {
    const { cli } = await servers();
    const searchAttributes = SEARCH_ATTRIBUTES;
    temporal = await startTemporalDevServer({ cli, port, dbFile, searchAttributes, log: () => {} });
  }

  before(async () => {
    port = await freePort();
    await startTemporal(join(scratch, 'temporal.db'));
    const temporalAddress = temporal.address;
    const metricsPort = await freePort();
    dms = await startService({ settings: { temporalAddress, metricsPort, jobLookAgainMs: 2_000 } });
    await createProfile(dms, FRIDGE);
    serials = await registerMany(dms, 6);
    begun = await apply(dms, FRIDGE_SLUG, { serialNumbers: serials.slice(0, 2) });
    await obey(dms, serials[0] as string);
    await untilIdle(dms, begun, /applied: 1/);
    await temporal.stop();
  });
  after(async () => {
    await dms.stop();
    await temporal.stop();
  });

  it('a profile is applied at once', async () => {
    const startedAt = performance.now();
    appliedMeanwhile = await apply(dms, FRIDGE_SLUG, { serialNumbers: serials.slice(2, 4) });
    assert.ok(performance.now() - startedAt < 2_000, 'it does not wait for Temporal');
    assert.equal((await jobOf(dms, appliedMeanwhile)).status, 'running');
  });

  it('the service says that it is degraded, and is ready all the same, within a second', async () => {
    const startedAt = performance.now();
    const { status, dependencies, httpStatus } = await readiness(dms.baseUrl);
    assert.equal(httpStatus, 200);
    assert.equal(status, 'degraded');
    assert.deepEqual([dependencies.temporal?.state, dependencies.database?.state], ['degraded', 'ok']);
    assert.ok(performance.now() - startedAt < 1_000);
  });

  it('devices fetch and report as ever', async () => {
    for (const serial of serials.slice(1, 3)) await obey(dms, serial);
    assert.equal((await jobOf(dms, begun)).counts.applied, 2);
    assert.equal((await jobOf(dms, appliedMeanwhile)).counts.applied, 1);
  });

  describe('until it is back', () => {
    before(async () => {
      await eventually(
        () => fetch(`http://127.0.0.1:${dms.settings.metricsPort}/metrics`).then((answer) => answer.text()),
        (metrics) => metrics.includes('dms_temporal_faults_total{call="start"} 1'),
      );
      await startTemporal(join(scratch, 'temporal.db'));
    });

    it('a job that was in the middle goes on and ends', async () => {
      assert.equal((await untilEnded(dms, begun, { timeoutMs: 30_000 })).status, 'succeeded');
    });

    it('a job that was applied meanwhile, and whose start was given up, is started and ends', async () => {
      await obey(dms, serials[3] as string);
      assert.equal((await untilEnded(dms, appliedMeanwhile, { timeoutMs: 30_000 })).status, 'succeeded');
    });

    it('the service is ready without reservation', async () => {
      const { status } = await readiness(dms.baseUrl);
      assert.equal(status, 'ok');
    });
  });

  describe('until it is back without its data', () => {
    it('running jobs are started again and end', async () => {
      const jobId = await apply(dms, FRIDGE_SLUG, { serialNumbers: serials.slice(4) });
      await obey(dms, serials[4] as string);
      await untilSeen(dms, jobId);
      await temporal.stop();
      await startTemporal();
      await obey(dms, serials[5] as string);
      const { status, counts } = await untilEnded(dms, jobId, { timeoutMs: 30_000 });
      assert.equal(status, 'succeeded');
      assert.equal(counts.applied, 2);
      assert.equal(await runOf(dms, begun).describe().catch(nameOf), 'WorkflowNotFoundError');
    });
  });
});

describe('An API process that cannot reach Temporal', function () {
  this.timeout(60_000);
  let dms: TestService;
  let apiProcess: Running & { baseUrl: string };
  let cutOff: TestOrganization;

  before(async () => {
    dms = await startService({ settings: { jobLookAgainMs: 1_000 } });
    await createProfile(dms, FRIDGE);
    const nobody = `127.0.0.1:${await freePort()}`;
    apiProcess = await startApiProcess({ ...environmentOf(dms.settings), TEMPORAL_ADDRESS: nobody });
    cutOff = await sameOrganizationAt(dms, apiProcess.baseUrl);
  });
  after(() => dms.stop());

  it('cannot signal, which costs only the wait for the next look', async () => {
    const [serial] = (await registerMany(cutOff, 1, 'UNHEARD')) as [string];
    const jobId = await apply(dms, FRIDGE_SLUG, { serialNumbers: [serial] });
    await untilSeen(dms, jobId);
    await obey(cutOff, serial);
    assert.equal((await untilEnded(dms, jobId)).status, 'succeeded');
    assert.equal(await countEvents(runOf(dms, jobId), 'workflowExecutionSignaledEventAttributes'), 0);
  });

  it('and is killed with -9 right after its answer leaves a job that a worker starts', async () => {
    const [serial] = (await registerMany(cutOff, 1, 'LEFT')) as [string];
    const jobId = await apply(cutOff, FRIDGE_SLUG, { serialNumbers: [serial] });
    await apiProcess.end('SIGKILL');
    await untilSeen(dms, jobId);
    await obey(dms, serial);
    assert.equal((await untilEnded(dms, jobId)).status, 'succeeded');
  });
});

describe('A worker that is killed with -9 in the middle of a job', function () {
  this.timeout(60_000);
  let dms: TestService;
  let killed: Running;
  let successor: RunningPart;

  before(async () => {
    dms = await startService({ withWorker: false });
    killed = await startWorkerProcess(environmentOf(dms.settings));
    await createProfile(dms, FRIDGE);
  });
  after(async () => {
    await successor?.stop(1_000);
    await dms.stop();
  });

  it('is followed by another one, and what devices reported in between counts', async () => {
    const serials = (await registerMany(dms, 3)) as [string, string, string];
    const jobId = await apply(dms, FRIDGE_SLUG, { serialNumbers: serials });
    await obey(dms, serials[0]);
    await untilIdle(dms, jobId, /applied: 1/);
    await killed.end('SIGKILL');
    await obey(dms, serials[1]);
    successor = await dms.service.startWorker((await servers()).workflowBundle);
    await obey(dms, serials[2]);
    const { status, counts } = await untilEnded(dms, jobId, { timeoutMs: 40_000 });
    assert.equal(status, 'succeeded');
    assert.equal(counts.applied, 3);
    assert.equal(await runOf(dms, jobId).result(), 'succeeded: 3 applied');
  });
});

describe('The deadline of a job', function () {
  this.timeout(60_000);
  let dms: TestService;
  let worker: RunningPart;
  before(async () => {
    dms = await startService({ withWorker: false });
    await createProfile(dms, FRIDGE);
  });
  after(async () => {
    await worker?.stop(1_000);
    await dms.stop();
  });

  it('ends it with the devices that have not confirmed timed out, and goes on offering them the change', async () => {
    const [quick, slow, fetched] = (await registerMany(dms, 3)) as [string, string, string];
    const jobId = await apply(dms, FRIDGE_SLUG, { serialNumbers: [quick, slow, fetched] });
    await obey(dms, quick);
    await dms.device.get(`/devices/${fetched}/pending-config`);
    // Two days are shortened before a worker reads the plan.
    const soon = "update config_jobs set deadline_at = now() + interval '1 second' where id = ?";
    await query(dms.service.sql, soon, [jobId]);
    worker = await dms.service.startWorker((await servers()).workflowBundle);
    const job = await untilEnded(dms, jobId);
    assert.equal(job.status, 'completed_with_failures');
    assert.deepEqual([job.counts.applied, job.counts.timedOut], [1, 2]);
    assert.ok(Date.parse(job.finishedAt) >= Date.parse(job.deadlineAt));
    for (const serial of [slow, fetched]) {
      assert.equal((await configOf(dms, serial)).pendingConfig.alarmRules.length, 12);
      await obey(dms, serial);
    }
    assert.equal((await jobOf(dms, jobId)).counts.timedOut, 2);
  });
});

describe('A job over 300 devices', function () {
  this.timeout(60_000);
  let dms: TestService;
  let jobId: string;
  let serials: string[];
  before(async () => {
    dms = await startService();
    await createProfile(dms, FRIDGE);
    serials = await registerMany(dms, 300);
    jobId = await apply(dms, FRIDGE_SLUG, { serialNumbers: serials });
  });
  after(() => dms.stop());

  it('tells in words what it waits for while it runs', async () => {
    await untilSeen(dms, jobId);
    for (const serial of serials.slice(0, 30)) await obey(dms, serial);
    const details = await eventually(
      () => detailsOf(dms, jobId),
      (text) => /applied: [1-9]/.test(text),
    );
    assert.match(details, /^\*\*Profile vaccine-fridge\*\* on 300 devices: running$/m);
    assert.match(
      details,
      /^Waits for \d+ to fetch the change and for \d+ that fetched it to report it, until 20/m,
    );
  });

  it('is found by its id and its organization', async () => {
    const { client } = dms.service.temporal;
    const found = await eventually(
      async () => {
        const ids = [];
        const filter = `JobId = '${jobId}' and OrganizationId = '${dms.id}'`;
        for await (const { workflowId } of client.workflow.list({ query: filter })) ids.push(workflowId);
        return ids;
      },
      (ids) => ids.length > 0,
    );
    assert.deepEqual(found, [applyProfileId(jobId)]);
  });

  it('stays far below 5,000 events, in one run, and ends with a summary', async () => {
    await inTurns(serials.slice(30), 16, (serial) => obey(dms, serial));
    const { status, counts } = await untilEnded(dms, jobId);
    assert.equal(status, 'succeeded');
    assert.equal(counts.applied, 300);
    assert.equal(await runOf(dms, jobId).result(), 'succeeded: 300 applied');
    const { historyLength, raw } = await runOf(dms, jobId).describe();
    assert.ok(historyLength < 5_000, `${historyLength} events`);
    assert.equal(raw.workflowExecutionInfo?.firstRunId, raw.workflowExecutionInfo?.execution?.runId);
  });
});

describe('PostgreSQL under load', function () {
  this.timeout(60_000);
  let postgres: RunningPostgres;
  let dms: TestService;
  let apiProcess: Running & { baseUrl: string };
  let fleet: TestOrganization;
  let jobId: string;
  let jobSerials: string[];
  const start = (port: number) => startPostgres({ dataDir: join(scratch, 'postgres'), port, log: () => {} });
  let port: number;

  before(async () => {
    port = await freePort();
    postgres = await start(port);
    const databaseUrl = await migratedDatabase(postgres.url);
    dms = await startService({ databaseUrl, settings: { jobLookAgainMs: 1_000 } });
    apiProcess = await startApiProcess(environmentOf(dms.settings));
    fleet = await sameOrganizationAt(dms, apiProcess.baseUrl);
    await createProfile(fleet, FRIDGE);
    jobSerials = await registerMany(fleet, 4, 'IN-JOB');
    jobId = await apply(fleet, FRIDGE_SLUG, { serialNumbers: jobSerials });
    await untilSeen(dms, jobId);
  });
  after(async () => {
    await dms.stop();
    await postgres.stop();
  });

  it('that is stopped and started again costs refusals with Retry-After, and nothing that was acknowledged', async () => {
    const load = startLoad(fleet, 'RESTART');
    await load.untilMore(40);
    await postgres.stop();
    await load.untilRefused();
    const { status, dependencies, httpStatus, retryAfter } = await readiness(apiProcess.baseUrl);
    assert.deepEqual([httpStatus, status, dependencies.database?.state], [503, 'down', 'down']);
    assert.match(String(retryAfter), /^\d+$/);
    postgres = await start(port);
    await load.untilMore(40);
    await load.endAndCheck();
    assert.ok(apiProcess.isRunning(), apiProcess.output().slice(-2_000));
  });

  it('that ends every connection again and again costs no more', async () => {
    const load = startLoad(fleet, 'CUT');
    const client = new pg.Client({ connectionString: dms.settings.databaseUrl });
    await client.connect();
    try {
      for (let round = 0; round < 15; round++) {
        const { rowCount } = await client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()`,
        );
        assert.ok(rowCount !== null && rowCount > 0);
        await load.untilMore(5);
      }
    } finally {
      await client.end();
    }
    await load.untilMore(40);
    await load.endAndCheck();
    assert.ok(apiProcess.isRunning(), apiProcess.output().slice(-2_000));
  });

  it('leaves a job that was under way going on to its end', async () => {
    for (const serial of jobSerials) await obey(fleet, serial);
    assert.equal((await untilEnded(fleet, jobId, { timeoutMs: 40_000 })).status, 'succeeded');
  });
});

const nameOf = (error: Error) => error.name;

async function readiness(baseUrl: string) {
  const answer = await fetch(`${baseUrl}/readyz`);
  const body = (await answer.json()) as { status: string; dependencies: Record<string, { state: string }> };
  return { ...body, httpStatus: answer.status, retryAfter: answer.headers.get('retry-after') };
}

function runOf(dms: TestService, jobId: string): WorkflowHandle {
  return dms.service.temporal.client.workflow.getHandle(applyProfileId(jobId));
}

/** The workflow has looked at the job. */
async function untilSeen(dms: TestService, jobId: string): Promise<void> {
  await eventually(
    () => runOf(dms, jobId).describe().catch(nameOf),
    (seen) => typeof seen !== 'string' && seen.historyLength > 10,
  );
}

/** The workflow has seen that and waits, with no step under way: a step that is cut off is repeated much later. */
async function untilIdle(dms: TestService, jobId: string, seen: RegExp): Promise<void> {
  await eventually(
    () => detailsOf(dms, jobId).catch(nameOf),
    (details) => seen.test(details),
  );
  await eventually(
    () => runOf(dms, jobId).describe(),
    ({ raw }) => !raw.pendingWorkflowTask && !raw.pendingActivities?.length,
  );
}

async function detailsOf(dms: TestService, jobId: string): Promise<string> {
  const run = runOf(dms, jobId);
  return (await run.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
}

async function countEvents(run: WorkflowHandle, kind: 'workflowExecutionSignaledEventAttributes') {
  const { events } = await run.fetchHistory();
  return events?.filter((event) => event[kind]).length;
}

/** The organization of the service as clients of another process see it. */
async function sameOrganizationAt(dms: TestService, baseUrl: string): Promise<TestOrganization> {
  const [customer, device] = await Promise.all([
    dms.issueKey(dms.id, 'customer'),
    dms.issueKey(dms.id, 'device'),
  ]);
  return organizationAt(baseUrl, { apiKey: customer.token, deviceToken: device.token });
}

async function inTurns<T>(items: T[], atOnce: number, work: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items];
  const take = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, take));
}

/** Clients that register devices and report for them without pause; what they were told is held against the service. */
function startLoad({ api, device }: TestOrganization, prefix: string) {
  const registered: string[] = [];
  const reported = new Map<string, number>();
  const wrong: string[] = [];
  let refusals = 0;
  let isOver = false;
  let count = 0;

  /** Whether it was acknowledged; anything but yes and a proper "not now" is wrong. */
  async function isDone(request: Promise<{ status: number; headers: object; text: string }>, yes: number) {
    const answer = await request.catch((error: Error) => ({ status: 0, headers: {}, text: String(error) }));
    if (answer.status === yes) return true;
    if (answer.status === 503 && 'retry-after' in answer.headers) refusals++;
    else wrong.push(`${answer.status} ${answer.text}`);
    return false;
  }

  async function client(): Promise<void> {
    while (!isOver) {
      const number = ++count;
      const serialNumber = `${prefix}-${number}`;
      if (!(await isDone(api.post('/assets', { serialNumber }), 201))) continue;
      registered.push(serialNumber);
      const transmissionInterval = 60 + number;
      const report = { ...FACTORY, transmissionInterval };
      if (await isDone(device.post(`/devices/${serialNumber}/config-reports`, report), 200))
        reported.set(serialNumber, transmissionInterval);
    }
  }
  const clients = Array.from({ length: 8 }, client);

  return {
    async untilMore(wanted: number): Promise<void> {
      const before = reported.size;
      await eventually(
        async () => ({ reported: reported.size, refusals, wrong }),
        (seen) => seen.reported >= before + wanted,
      );
    },
    async untilRefused(): Promise<void> {
      await eventually(
        async () => refusals,
        (seen) => seen > 0,
      );
    },
    async endAndCheck(): Promise<void> {
      isOver = true;
      await Promise.all(clients);
      assert.deepEqual(wrong, []);
      await inTurns(registered, 8, async (serial) => {
        const { status, body } = await api.get(`/devices/${serial}/config`);
        assert.equal(status, 200, `${serial} was registered`);
        const interval = reported.get(serial);
        if (interval !== undefined) assert.equal(body.deviceConfig.transmissionInterval, interval);
      });
    },
  };
}

describe('A database that is too slow', () => {
  let dms: TestService;
  let blocker: pg.Client;
  before(async () => {
    dms = await startService({ withWorker: false, settings: { statementTimeoutMs: 300 } });
    blocker = new pg.Client(dms.settings.databaseUrl);
    await blocker.connect();
  });
  after(async () => {
    await blocker.end();
    await dms.stop();
  });

  it('costs refusals with Retry-After, for neighbours in a batch too, and leaves nothing half done', async () => {
    const serials = await registerMany(dms, 3);
    await blocker.query('begin; lock table assets in access exclusive mode');
    const readings = [{ channel: 1, type: 'temperature', value: 4, measuredAt: new Date().toISOString() }];
    const send = (serial: string) => dms.device.post(`/devices/${serial}/measurements`, { readings });
    const refused = await Promise.all([
      dms.api.get('/assets'),
      dms.api.post('/assets', { serialNumber: 'TOO-SLOW-1', name: 'never made' }),
      ...serials.map(send),
    ]);
    for (const { status, body, headers } of refused) {
      assert.equal(status, 503, body.message);
      assert.ok(Number(headers['retry-after']) > 0);
    }
    await blocker.query('rollback');
    assert.equal((await dms.api.get('/assets')).body.items.length, serials.length);
    for (const { status, body } of await Promise.all(serials.map(send))) {
      assert.deepEqual([status, body.accepted], [202, 1], 'nothing was stored by those that were refused');
    }
  });
});
