/**
 * One part of the service from start to end: started components are stopped in order, even during the start.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { DRAIN_MS, type RunningPart } from '../process/shutdown.ts';
import type { Service } from './service.ts';

export interface ServiceRun {
  /** The ports; null when it was stopped before it was up. */
  started: Promise<{ port: number | undefined; metricsPort: number } | null>;
  /**
   * First reports that the process is not ready, and keeps serving for this long: balancers notice it, and no
   * request meets a closed port.
   */
  stop(lameDuckMs: number): Promise<void>;
}

/** Components that are still starting have no work under way that must be finished. */
const START_WAIT_MS = 2_000;

export function runService(service: Service, start: (service: Service) => Promise<RunningPart>): ServiceRun {
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
    started,
    async stop(lameDuckMs) {
      isStopping = true;
      await Promise.race([started.catch(() => {}), delay(START_WAIT_MS, undefined, { ref: false })]);
      await drain(lameDuckMs);
      for (const stop of stops.splice(0).reverse()) await stop();
    },
  };
}
