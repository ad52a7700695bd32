/** One part of the service from its start to its end: what has started is stopped in order, also in the midst of the start. */
import { setTimeout as delay } from 'node:timers/promises';
import { DRAIN_MS, type RunningPart } from '../process/shutdown.ts';
import type { Service } from './service.ts';

export interface ServiceRun {
  /** Where it is reached; null when it was stopped before it was up. */
  started: Promise<{ port: number | undefined; metricsPort: number } | null>;
  /**
   * Says first that the process is not ready, and serves on for so long: balancers notice it, and no request meets a
   * closed port.
   */
  stop(lameDuckMs: number): Promise<void>;
}

/** What is still starting has nothing under way that must end well. */
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
    // Nobody turns to a worker by itself.
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
