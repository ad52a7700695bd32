/** Runs one part of the service as a process of its own: settings from the environment, metrics, and an orderly end. */
import { readSettings } from '../process/config.ts';
import { createLog } from '../process/log.ts';
import { runMain } from '../process/run-main.ts';
import { type RunningPart, STOP_MS, stopOnSignal } from '../process/shutdown.ts';
import { checkDatabase } from './check-database.ts';
import { runService } from './run-service.ts';
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
