/** Runs one part of the service as a process of its own: settings from the environment, metrics, and an orderly end. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../db/database.ts';
import { isUnavailable } from '../db/faults.ts';
import { findPoolerFault } from '../db/pooler-check.ts';
import { findSchemaFault } from '../db/schema-check.ts';
import { readSettings, type Settings } from '../process/config.ts';
import { createLog, type Log } from '../process/log.ts';
import { startPeriodic } from '../process/periodic.ts';
import { runMain } from '../process/run-main.ts';
import { DRAIN_MS, type RunningPart, STOP_MS, stopOnSignal } from '../process/shutdown.ts';
import { compose, type Service } from './service.ts';

export function runPart(name: string, start: (service: Service) => Promise<RunningPart>): Promise<void> {
  return runMain(async () => {
    const settings = readSettings();
    const { host, lameDuckMs } = settings;
    const log = createLog(settings.logLevel);
    let isStopping = false;
    const run = runService(compose({ settings, log }), async (service) => {
      const check = await checkDatabase({ sql: service.sql, settings, log, isStopping: () => isStopping });
      const part = await start(service);
      return {
        ...part,
        async stop(deadlineMs) {
          await check.stop();
          await part.stop(deadlineMs);
        },
      };
    });
    // Registered before anything is awaited, so that the process can be stopped at any time.
    stopOnSignal({
      // SIGINT comes from a person at a terminal, who waits for the end.
      stop(signal) {
        isStopping = true;
        return run.stop(signal === 'SIGINT' ? 0 : lameDuckMs);
      },
      print: (line) => log.info(line),
      deadlineMs: STOP_MS + lameDuckMs,
    });
    log.info(`${name} is starting`);
    const up = await run.started;
    if (up) log.info({ host, ...up }, `${name} is up`);
  });
}

const AGAIN_MS = 2_000;

interface DatabaseCheck {
  sql: Database;
  settings: Pick<Settings, 'databasePooler'>;
  log: Log;
  /** A stopping process closes its connections during the check. */
  isStopping(): boolean;
}

/**
 * Checks, before a process accepts requests, whether it can run on the schema, and how it reaches the
 * database. If the database is away, the check waits in the background, since readiness already reports that.
 * @throws with the change that would fix it.
 */
async function checkDatabase({
  sql,
  settings,
  log,
  isStopping,
}: DatabaseCheck): Promise<{ stop(): Promise<void> }> {
  let isDone = await check(sql, settings);
  if (isDone) return { stop: async () => {} };
  log.warn('The database cannot be reached: its schema is checked as soon as it answers');
  return startPeriodic(
    AGAIN_MS,
    async () => {
      isDone ||= await check(sql, settings);
    },
    (err) => {
      if (isStopping()) return;
      log.fatal({ err }, 'This process cannot run on this database');
      process.exit(1);
    },
  );
}

/** Returns false while the database is away. */
async function check(sql: Database, { databasePooler }: DatabaseCheck['settings']): Promise<boolean> {
  try {
    const fault = (await findPoolerFault(sql, databasePooler)) ?? (await findSchemaFault(sql));
    if (fault !== null) throw new Error(fault);
    return true;
  } catch (error) {
    if (isUnavailable(error)) return false;
    throw error;
  }
}

export type ServiceRun = ReturnType<typeof runService>;

/** Components that are still starting have no work under way that must be finished. */
const START_WAIT_MS = 2_000;

/** One part of the service from start to end: started components are stopped in order, even during the start. */
export function runService(service: Service, start: (service: Service) => Promise<RunningPart>) {
  const stops: Array<() => Promise<unknown>> = [service.close];
  let part: RunningPart | null = null;
  let isStopping = false;

  async function begin() {
    const metrics = await service.startMetrics();
    stops.push(metrics.stop);
    if (isStopping) return null;
    const running = await start(service);
    stops.push(() => running.stop(DRAIN_MS));
    part = running;
    return { port: running.port, metricsPort: metrics.port };
  }

  async function drain(lameDuckMs: number): Promise<void> {
    service.drain();
    part?.drain?.();
    // No balancer sends requests to a worker.
    if (part?.port !== undefined) await delay(lameDuckMs);
  }

  const started = begin().catch((error) => {
    if (isStopping) return null;
    throw error;
  });

  return {
    /** The ports; null when it was stopped before it was up. */
    started,
    /**
     * First reports that the process is not ready, and keeps serving for this long: balancers notice it, and no
     * request meets a closed port.
     */
    async stop(lameDuckMs: number): Promise<void> {
      isStopping = true;
      await Promise.race([started.catch(() => {}), delay(START_WAIT_MS, undefined, { ref: false })]);
      await drain(lameDuckMs);
      for (const stop of stops.splice(0).reverse()) await stop();
    },
  };
}
