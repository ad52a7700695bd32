/**
 * The requests that clients poll, the configuration of one device and the list of devices, compared with bare
 * Koa and the same query.
 */
import { freePort } from '../dev/embedded/free-port.ts';
import { load } from './support/load.ts';
import type { BenchStack } from './support/stack.ts';
import { printTable, round } from './support/table.ts';

const CONNECTIONS = 64;
const SECONDS = 8;
const ROUNDS = 3;
const DEVICES = 1_000;

export async function benchReads(stack: BenchStack): Promise<void> {
  const fleet = await stack.addFleet(DEVICES);
  const port = await freePort();
  await stack.runServer('bench/baseline.ts', port);
  const serials = Array.from({ length: DEVICES }, (_, index) => `DEV-${index + 1}`);
  const headers = { authorization: `Bearer ${fleet.apiKey}` };
  const cases = [
    {
      name: 'GET /devices/{serial}/config',
      ours: serials.map((serial) => `/devices/${serial}/config`),
      bare: serials.map((serial) => `/${fleet.organizationId}/config/${serial}`),
    },
    { name: 'GET /assets (50 of 1,000)', ours: ['/assets'], bare: [`/${fleet.organizationId}/assets`] },
  ];
  const rows = [];
  for (const { name, ours, bare } of cases) {
    const ratios: number[] = [];
    const results = [];
    for (let round = 0; round < ROUNDS; round++) {
      const base = { connections: CONNECTIONS, seconds: SECONDS, headers };
      const baseline = await load({ ...base, url: `http://127.0.0.1:${port}`, paths: bare });
      const service = await load({ ...base, url: stack.apiUrl, paths: ours });
      if (baseline.errors + service.errors > 0)
        throw new Error(`${name}: ${baseline.errors + service.errors} errors`);
      ratios.push(service.perSecond / baseline.perSecond);
      results.push({ baseline, service });
    }
    const { baseline, service } = results[ratios.indexOf(median(ratios))] as (typeof results)[number];
    rows.push([
      name,
      Math.round(baseline.perSecond),
      Math.round(service.perSecond),
      `${round(median(ratios) * 100, 0)} % (${ratios.map((ratio) => round(ratio * 100, 0)).join(', ')})`,
      service.p50,
      service.p99,
      baseline.p99,
    ]);
  }
  printTable(
    `Reads, ${CONNECTIONS} connections, ${SECONDS} s each, median of ${ROUNDS} pairs`,
    ['operation', 'bare Koa/s', 'service/s', 'ratio', 'p50 ms', 'p99 ms', 'bare p99 ms'],
    rows,
  );
}

const median = (values: number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
