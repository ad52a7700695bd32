/** `npm run worker`: workflows, activities, deliveries and sweeps alone, against DATABASE_URL and TEMPORAL_ADDRESS. */
import { runPart } from '../compose/run-part.ts';

await runPart('worker', (service) => service.startWorker());
