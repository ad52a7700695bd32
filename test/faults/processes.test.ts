/**
 * Each kind of process as operators see it: its probes, its end during the start, and a hanging event loop.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { eventually, register, sendTemperature } from '../support/fleet.ts';
import { openLogger } from '../support/logger.ts';
import {
  documentedMetrics,
  isShown,
  parseMetrics,
  queriedMetrics,
  readDocument,
} from '../support/metrics.ts';
import { useService } from '../support/service.ts';
import { endAll, environmentOf, type Running, run } from '../support/stack.ts';

type Kind = 'api' | 'gateway' | 'worker';
const KINDS: Kind[] = ['api', 'gateway', 'worker'];

/** Blocks the event loop forever on request. */
const HANG = `data:text/javascript,${encodeURIComponent(
  "process.on('SIGUSR2', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))",
)}`;
/** The settings that docs/operating.md recommends. */
const PROBE_TIMEOUT_MS = 1_000;

describe('A process', () => {
  const dms = useService({ withWorker: false });
  let env: Record<string, string>;
  let unanswering: Server;
  /** Takes seconds, so it begins before the other tests. */
  let stopped: Promise<{ code: number | null; output: string }>;
  const running = new Map<Kind, Running & { metricsUrl: string }>();

  before(async () => {
    // Runs before the worker counts them for the first time.
    await openAlerts();
    env = {
      ...environmentOf(dms.settings),
      COAP_PORT: '0',
      METRICS_PORT: '0',
      NODE_OPTIONS: `--import=${HANG}`,
    };
    await Promise.all(
      KINDS.map(async (kind) => {
        const process = run(kind, env);
        const { metricsPort } = JSON.parse(await process.line(/"metricsPort"/));
        running.set(kind, { ...process, metricsUrl: `http://127.0.0.1:${metricsPort}` });
      }),
    );
    unanswering = createServer(() => {}).listen(0, '127.0.0.1');
    await once(unanswering, 'listening');
    stopped = stopDuringStart();
    stopped.catch(() => {});
  });
  after(async () => {
    await endAll();
    unanswering.close();
  });

  const read = async (kind: Kind, path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${running.get(kind)?.metricsUrl}${path}`, init);
    return { status: answer.status, text: await answer.text() };
  };

  for (const kind of KINDS) {
    it(`reports liveness, readiness and metrics of kind ${kind} on its metrics port`, async () => {
      assert.equal((await read(kind, '/livez')).status, 200);
      const ready = await eventually(
        () => read(kind, '/readyz'),
        ({ status }) => status === 200,
      );
      assert.deepEqual(Object.keys(JSON.parse(ready.text).dependencies), ['database', 'temporal']);
      assert.match((await read(kind, '/metrics')).text, /^process_cpu_seconds_total /m);
    });
  }

  it("shows the metrics of Temporal's SDK beside its own when it is a worker", async () => {
    for (const name of ['temporal_worker_task_slots_available{', 'dms_config_jobs_started_total 0'])
      await eventually(
        async () => (await read('worker', '/metrics')).text,
        (text) => text.includes(`\n${name}`),
      );
  });

  it('shows exactly the metrics that the document for operators lists for its kind', async () => {
    for (const kind of KINDS) {
      const shown = parseMetrics((await read(kind, '/metrics')).text);
      const documented = documentedMetrics().filter(({ shownBy }) => shownBy === 'all' || shownBy === kind);
      const names = [...shown.keys()].filter((name) => name.startsWith('dms_'));
      assert.deepEqual(names.sort(), documented.map(({ name }) => name).sort(), kind);
      for (const { name, labels } of documented)
        for (const label of shown.get(name)?.labels ?? [])
          assert.ok(labels.includes(label), `${name}: ${label}`);
    }
  });

  it('shows a sample of each metric in the document for operators, once there is something to show', async () => {
    const [serial, coapPort] = ['282C02424EED', dms.coapPort];
    await register(dms, serial);
    await sendTemperature(dms, serial, 4.2);
    const { token } = await dms.issueKey(dms.id, 'device');
    const logger = await openLogger({ serial, token, coapPort });
    await logger.sendInfo({ version: 0x0702, rssi: -70 });
    logger.close();
    const urls = [dms.metricsUrl, ...KINDS.map((kind) => `${running.get(kind)?.metricsUrl}/metrics`)];
    const findMissing = async () => {
      const texts = await Promise.all(urls.map(async (url) => (await fetch(url)).text()));
      const shown = parseMetrics(texts.join('\n'));
      return documentedMetrics().filter(
        ({ name, shownBy }) => shownBy !== 'replica' && !shown.get(name)?.samples,
      );
    };
    await eventually(findMissing, ({ length }) => length === 0);
  });

  /** One is acknowledged, and one is not. */
  async function openAlerts(): Promise<void> {
    const measuredAt = new Date().toISOString();
    const readings = [{ channel: 1, type: 'temperature', value: 4.2, measuredAt }];
    for (const serial of ['LOW-1', 'LOW-2']) {
      await register(dms, serial);
      await dms.device.post(`/devices/${serial}/measurements`, { readings, batteryStatus: 'low' });
    }
    const [{ id }] = (await dms.api.get('/alerts?type=low_battery')).body.items;
    await dms.api.patch(`/alerts/${id}`, { status: 'acknowledged' });
  }

  it('opens at most as many connections as the document for operators counts', async () => {
    for (const kind of KINDS) {
      const { text } = await read(kind, '/metrics');
      const pools = [...text.matchAll(/^dms_database_connections_max\{.*\} (\d+)$/gm)].map(([, max]) =>
        Number(max),
      );
      const listening = kind === 'worker' ? 1 : 0;
      const total = pools.reduce((sum, max) => sum + max, listening);
      assert.ok(
        readDocument('docs/operating.md').includes(`| \`${kind}\` | ${total} |`),
        `${kind}: ${total}`,
      );
    }
  });

  it('shows each metric that an alert or the dashboard uses', async () => {
    const findMissing = async () => {
      const texts = await Promise.all(KINDS.map((kind) => read(kind, '/metrics')));
      const shown = parseMetrics(texts.map(({ text }) => text).join('\n'));
      return queriedMetrics().filter(({ name }) => !isShown(shown, name));
    };
    await eventually(findMissing, ({ length }) => length === 0);
  });

  it('reports its kind, its dependencies, its waits for the database, and the successes of its sweeps', async () => {
    const sample = async (kind: Kind, name: string) => {
      const { text } = await read(kind, '/metrics');
      return text
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.split(' ')
        .at(-1);
    };
    const untilShown = (kind: Kind, name: string, wanted: string) =>
      eventually(
        () => sample(kind, name),
        (value) => value === wanted,
      );
    for (const kind of KINDS) {
      await untilShown(kind, `dms_process_info{kind="${kind}",version="`, '1');
      await untilShown(kind, 'dms_dependency_up{dependency="database"}', '1');
      await untilShown(kind, 'dms_database_waiting{pool="main"}', '0');
    }
    await untilShown('worker', 'dms_database_listening', '1');
    await untilShown('gateway', 'dms_coap_exchanges', '0');
    const name = 'dms_sweep_last_success_timestamp_seconds{sweep="overdue devices"}';
    const at = await eventually(
      () => sample('worker', name),
      (value) => Number(value) > 0,
    );
    assert.ok(Math.abs(Number(at) - Date.now() / 1000) < 300, `${at}`);
  });

  it('ends in order when it is stopped during its start', async () => {
    const { code, output } = await stopped;
    assert.equal(code, 0, output);
  });

  async function stopDuringStart(): Promise<{ code: number | null; output: string }> {
    const { port } = unanswering.address() as AddressInfo;
    const starting = run('api', { ...env, DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/none` });
    await starting.line(/is starting/);
    const { code } = await starting.end('SIGTERM');
    return { code, output: starting.output() };
  }

  it('fails its liveness probe when its event loop hangs', async () => {
    const { pid } = running.get('gateway') as Running;
    process.kill(pid, 'SIGUSR2');
    const probe = () =>
      read('gateway', '/livez', { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).then(
        ({ status }) => String(status),
        (error: Error) => error.name,
      );
    await eventually(probe, (outcome) => outcome === 'TimeoutError');
  });
});
