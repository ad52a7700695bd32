/** `npm run worker`: workflows, activities and the sweep alone, against DATABASE_URL and TEMPORAL_ADDRESS. */
import { compose } from '../compose/service.ts';
import { readSettings } from '../process/config.ts';
import { DRAIN_MS, STOP_MS, stopOnSignal } from '../process/shutdown.ts';
import { createLog } from '../process/log.ts';
import { orExplain } from '../process/run-main.ts';

await orExplain(async () => {
  const settings = readSettings();
  const log = createLog(settings.logLevel);
  const service = compose({ settings, log });
  const metrics = await service.startMetrics();
  const worker = await service.startWorker();
  log.info({ metricsPort: metrics.port }, 'worker is up');
  stopOnSignal({
    async stop() {
      await worker.stop(DRAIN_MS);
      await metrics.stop();
      await service.close();
    },
    say: (line) => log.info(line),
    deadlineMs: STOP_MS,
  });
});
