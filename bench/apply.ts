/**
 * A profile for 1,000 and for 100,000 devices: the answer, the offers, the reports that settle it, and the
 * end of the job.
 */
import { Client, Connection } from '@temporalio/client';
import { Agent, request } from 'undici';
import { applyProfileId } from '../src/temporal/workflow-ids.ts';
import { createCustomer, type Send, timed } from './support/customer.ts';
import { keepFigures } from './support/figures.ts';
import type { Fleet } from './support/fleet.ts';
import type { BenchStack } from './support/stack.ts';
import { printTable, round } from './support/table.ts';
import { findLogPosition, logRows, readLog } from './support/write-ahead-log.ts';

const CONNECTIONS = 64;
const LARGEST = 100_000;
const INTERVALS = { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 21_600 };
const CONFIRMING = { measurementPeriodBase: 300, measurementPeriodFactor: 1, transmissionInterval: 21_600 };

export async function benchApply(stack: BenchStack, sizes = [1_000, 1_000, 1_000, LARGEST]): Promise<void> {
  const agent = new Agent({ connections: CONNECTIONS, pipelining: 1, headersTimeout: 60_000 });
  const rows = [];
  for (const devices of sizes) {
    const fleet = await stack.addFleet(devices, { isOnline: true });
    const send = createCustomer(stack.apiUrl, fleet, agent);
    await send('POST', '/devices/config-profiles', { slug: 'intervals', intervals: INTERVALS });
    const from = await findLogPosition(stack.sql);
    const applied = await timed(() =>
      send('PUT', '/devices/config-profiles/intervals/apply', { applyToAll: true }),
    );
    const { jobId, appliedCount } = applied.value as { jobId: string; appliedCount: number };
    if (appliedCount !== devices) throw new Error(`applied to ${appliedCount} of ${devices}`);
    const offered = await untilJob(send, jobId, ({ counts }) => counts.queued === 0);
    const to = await findLogPosition(stack.sql);
    const peakMb = stack.apiPeakMb();
    const reports = await reportAll(stack, agent, fleet, devices);
    const job = await untilJob(send, jobId, ({ status }) => status !== 'running');
    rows.push([
      devices,
      Math.round(applied.ms),
      Math.round(offered.ms),
      peakMb,
      Math.round(reports.perSecond),
      round(reports.p50),
      round(reports.p99),
      `${job.value.status}, ${job.value.counts.applied} applied`,
      Math.round(job.ms),
      await historyLength(stack, jobId),
    ]);
    if (devices !== LARGEST) continue;
    keepFigures({
      'apply.answeredMs': Math.round(applied.ms),
      'apply.offeredMs': Math.round(applied.ms + offered.ms),
    });
    printTable(
      `Write-ahead log of an apply to ${devices}, until all are offered it, bytes a device`,
      ['', 'bytes', 'of which full pages'],
      logRows(await readLog(stack.sql, from, to), devices),
    );
  }
  printTable(
    `Apply and settle, ${CONNECTIONS} connections`,
    [
      'devices',
      'apply ms',
      'offered after ms',
      'API peak MB',
      'reports/s',
      'p50 ms',
      'p99 ms',
      'job',
      'last report → ended ms',
      'history events',
    ],
    rows,
  );
  await agent.close();
}

async function reportAll(stack: BenchStack, agent: Agent, fleet: Fleet, devices: number) {
  const body = JSON.stringify(CONFIRMING);
  const headers = { authorization: `Bearer ${fleet.deviceToken}`, 'content-type': 'application/json' };
  const latencies: number[] = [];
  let next = 1;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (next <= devices) {
        const path = `/devices/DEV-${next++}/config-reports`;
        const sentAt = performance.now();
        const response = await request(stack.apiUrl + path, {
          method: 'POST',
          dispatcher: agent,
          body,
          headers,
        });
        await response.body.dump();
        if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}`);
        latencies.push(performance.now() - sentAt);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] as number;
  return { perSecond: devices / seconds, p50: at(0.5), p99: at(0.99) };
}

interface Job {
  status: string;
  counts: { applied: number; queued: number };
}

/**
 * Waits until all devices are offered the change, because a device that reports earlier would have to report
 * again.
 */
/** Each answer counts the targets of the job, so a client that asks without a pause would be most of what is measured. */
const POLL_MS = 500;

async function untilJob(send: Send, jobId: string, isReached: (job: Job) => boolean) {
  return timed(async () => {
    for (;;) {
      const job = (await send('GET', `/devices/config-jobs/${jobId}`)) as Job;
      if (isReached(job)) return job;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  });
}

async function historyLength(stack: BenchStack, jobId: string): Promise<number> {
  const connection = await Connection.connect({ address: stack.temporalAddress });
  const description = await new Client({ connection }).workflow.getHandle(applyProfileId(jobId)).describe();
  await connection.close();
  return description.historyLength;
}
