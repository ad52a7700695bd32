/** `npm run worker`: workflows, activities and the sweep alone, against DATABASE_URL and TEMPORAL_ADDRESS. */
import { compose } from './compose.ts';
import { readSettings } from './config.ts';
import { DRAIN_MS, STOP_MS, stopOnSignal } from './graceful.ts';
import { createLog } from './log.ts';
import { orExplain } from './main.ts';

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
