/** Processes that are replaced one by one under load, without any effect on clients. */
import assert from 'node:assert/strict';
import { runService, type ServiceRun } from '../../src/compose/run-part.ts';
import { compose } from '../../src/compose/service.ts';
import { createLog } from '../../src/process/log.ts';
import { type Balancer, PROBE_EVERY_MS, startHttpBalancer, startUdpBalancer } from '../support/balancers.ts';
import { createClient } from '../support/client.ts';
import { register } from '../support/fleet.ts';
import { type Logger, openLogger } from '../support/logger.ts';
import { useService } from '../support/service.ts';

const LAME_DUCK_MS = 60 * PROBE_EVERY_MS;
const LOGGERS = 6;
const CLIENTS = 6;
const LONG_ANSWER_MS = 5_000;

type Kind = 'api' | 'gateway';

describe('A rolling restart', () => {
  const dms = useService({ withWorker: false });
  let token: string;
  let balancers: Record<Kind, Balancer>;
  let loggers: Logger[];

  before(async () => {
    balancers = { api: await startHttpBalancer(), gateway: await startUdpBalancer() };
    token = (await dms.issueKey(dms.id, 'device')).token;
    const serials = Array.from({ length: LOGGERS }, (_, index) => `28BC000000A${index}`);
    for (const serial of serials) await register(dms, serial);
    loggers = await Promise.all(
      serials.map((serial) => openLogger({ serial, coapPort: balancers.gateway.port, token })),
    );
  });
  after(async () => {
    for (const logger of loggers) await logger.close();
    for (const balancer of Object.values(balancers)) await balancer.stop();
  });

  async function startProcess(kind: Kind): Promise<ServiceRun> {
    const service = compose({ settings: dms.settings, log: createLog('silent') });
    const run = runService(service, kind === 'api' ? service.startApi : service.startGateway);
    const up = await run.started;
    assert.ok(up?.port !== undefined);
    await balancers[kind].add({ port: up.port, metricsPort: up.metricsPort });
    return run;
  }

  /** Repeats the work until the end; returns the outcomes. */
  function startLoad<T>(work: () => Promise<T>) {
    const outcomes: T[] = [];
    let isOver = false;
    async function repeat(): Promise<void> {
      while (!isOver) outcomes.push(await work());
    }
    const running = repeat();
    return async (): Promise<T[]> => {
      isOver = true;
      await running;
      return outcomes;
    };
  }

  const reading = () => ({
    readings: [{ channel: 1, type: 'temperature', value: 4, measuredAt: new Date().toISOString() }],
  });

  it('fails no request and no frame while two APIs and two gateways are replaced', async () => {
    const running = {
      api: [await startProcess('api'), await startProcess('api')],
      gateway: [await startProcess('gateway'), await startProcess('gateway')],
    };
    const { api } = { api: createClient(`http://127.0.0.1:${balancers.api.port}`, token) };
    const requests = loggers
      .slice(0, CLIENTS)
      .map(({ serial }) =>
        startLoad(async () => (await api.post(`/devices/${serial}/measurements`, reading())).status),
      );
    const frames = loggers.map((logger) =>
      startLoad(async () => {
        const startedAt = performance.now();
        const { code } = await logger.measure();
        return performance.now() - startedAt < LONG_ANSWER_MS ? code : 'late';
      }),
    );
    for (const kind of ['api', 'gateway'] as const) {
      for (const old of running[kind]) {
        await old.stop(LAME_DUCK_MS);
        const fresh = await startProcess(kind);
        running[kind] = running[kind].map((each) => (each === old ? fresh : each));
      }
    }
    const statuses = (await Promise.all(requests.map((end) => end()))).flat();
    const codes = (await Promise.all(frames.map((end) => end()))).flat();
    await Promise.all([...running.api, ...running.gateway].map((run) => run.stop(0)));
    assert.ok(
      statuses.length > 20 && codes.length > 20,
      `${statuses.length} requests, ${codes.length} frames`,
    );
    assert.deepEqual([...new Set(statuses)], [202]);
    assert.deepEqual([...new Set(codes)], ['2.01']);
  });
});
