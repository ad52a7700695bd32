/** `npm run gateway`: the CoAP gateway alone, against DATABASE_URL and TEMPORAL_ADDRESS. */
import { compose } from '../compose/service.ts';
import { readSettings } from '../process/config.ts';
import { createLog } from '../process/log.ts';
import { runMain } from '../process/run-main.ts';
import { DRAIN_MS, STOP_MS, stopOnSignal } from '../process/shutdown.ts';

await runMain(async () => {
  const settings = readSettings();
  const log = createLog(settings.logLevel);
  const service = compose({ settings, log });
  const metrics = await service.startMetrics();
  const gateway = await service.startGateway();
  log.info({ host: settings.host, port: gateway.port, metricsPort: metrics.port }, 'gateway is up');
  stopOnSignal({
    async stop() {
      await gateway.stop(DRAIN_MS);
      await metrics.stop();
      await service.close();
    },
    print: (line) => log.info(line),
    deadlineMs: STOP_MS,
  });
});
