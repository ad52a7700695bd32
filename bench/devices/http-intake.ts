/** Readings over HTTP, compared with bare Koa that parses the same body and does nothing, or stores it. */
import autocannon from 'autocannon';
import { freePort } from '../../dev/embedded/free-port.ts';
import { keepFigures } from '../support/figures.ts';
import { SERIAL_SQL, toSerial } from '../support/serials.ts';
import { printTable, round } from '../support/table.ts';
import type { DeviceBench } from './device-bench.ts';

const DEVICES = 10_000;
const CONNECTIONS = 64;
const PAIRS = 3;
const SECONDS = { warmUp: 2, measured: 8 };
const READINGS_PER_REQUEST = 10;

export async function benchHttpIntake({ stack }: DeviceBench): Promise<void> {
  const fleet = await stack.addFleet(DEVICES, { serialSql: SERIAL_SQL });
  const port = await freePort();
  await stack.runServer('bench/baseline.ts', port);
  const bareUrl = `http://127.0.0.1:${port}`;
  const measure = createLoad(fleet.deviceToken);
  const rows = [];
  const shares: number[] = [];
  for (let pair = 1; pair <= PAIRS; pair++) {
    const bare = await measure(bareUrl, () => '/parse');
    const storing = await measure(bareUrl, (serial) => `/${fleet.organizationId}/store/${serial}`);
    const service = await measure(stack.apiUrl, (serial) => `/devices/${serial}/measurements`);
    shares.push(service.requests.average / bare.requests.average);
    rows.push([
      Math.round(bare.requests.average),
      Math.round(storing.requests.average),
      Math.round(service.requests.average),
      toRatio(service, bare),
      toRatio(service, storing),
      service.latency.p50,
      service.latency.p99,
    ]);
  }
  keepFigures({ 'http.percentOfBare': round(median(shares) * 100) });
  printTable(
    `HTTP intake, ${READINGS_PER_REQUEST} readings a request, ${CONNECTIONS} connections; bare Koa parses the same body and does nothing, or stores it`,
    ['bare/s', 'bare, storing/s', 'service/s', 'of bare', 'of storing', 'p50 ms', 'p99 ms'],
    rows,
  );
}

type Measure = (url: string, toPath: (serial: string) => string) => Promise<autocannon.Result>;

/** Each request has new readings, for the next device. */
function createLoad(deviceToken: string): Measure {
  const headers = { authorization: `Bearer ${deviceToken}`, 'content-type': 'application/json' };
  const firstMs = Date.now() - 3_600_000;
  let sent = 0;
  const run = (url: string, toPath: (serial: string) => string, duration: number) =>
    autocannon({
      url,
      connections: CONNECTIONS,
      duration,
      requests: [
        {
          method: 'POST',
          headers,
          setupRequest: (request) => ({
            ...request,
            path: toPath(toSerial((sent % DEVICES) + 1)),
            body: toBody(firstMs + sent++ * READINGS_PER_REQUEST),
          }),
        },
      ],
    });
  return async (url, toPath) => {
    await run(url, toPath, SECONDS.warmUp);
    const result = await run(url, toPath, SECONDS.measured);
    const { non2xx, errors, timeouts } = result;
    if (non2xx + errors + timeouts > 0) throw new Error(`${non2xx} refused, ${errors + timeouts} failed`);
    return result;
  };
}

const toBody = (firstMs: number): string =>
  JSON.stringify({
    readings: Array.from({ length: READINGS_PER_REQUEST }, (_, index) => ({
      channel: 1,
      type: 'temperature',
      value: 4.2,
      measuredAt: new Date(firstMs + index).toISOString(),
    })),
    batteryStatus: 'ok',
    signal: 40,
  });

const toRatio = (ours: autocannon.Result, theirs: autocannon.Result): string =>
  `${round((ours.requests.average / theirs.requests.average) * 100, 0)} %`;

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
