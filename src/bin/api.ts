/** `npm run api`: the HTTP API alone, against DATABASE_URL and TEMPORAL_ADDRESS. */
import { runPart } from '../compose/run-part.ts';

await runPart('API', (service) => service.startApi());
