/** Runs one part of the service as a process of its own: settings from the environment, metrics, and an orderly end. */
import { readSettings } from '../process/config.ts';
import { createLog } from '../process/log.ts';
import { runMain } from '../process/run-main.ts';
import { DRAIN_MS, type RunningPart, STOP_MS, stopOnSignal } from '../process/shutdown.ts';
import { checkDatabase } from './check-database.ts';
import { compose, type Service } from './service.ts';

export function runPart(name: string, start: (service: Service) => Promise<RunningPart>): Promise<void> {
  return runMain(async () => {
    const settings = readSettings();
    const log = createLog(settings.logLevel);
    const service = compose({ settings, log });
    const check = await checkDatabase(service.sql, settings, log);
    const metrics = await service.startMetrics();
    const part = await start(service);
    log.info({ host: settings.host, port: part.port, metricsPort: metrics.port }, `${name} is up`);
    stopOnSignal({
      async stop() {
        await check.stop();
        await part.stop(DRAIN_MS);
        await metrics.stop();
        await service.close();
      },
      print: (line) => log.info(line),
      deadlineMs: STOP_MS,
    });
  });
}
