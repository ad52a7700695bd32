/** `npm run gateway`: the CoAP gateway alone, against DATABASE_URL and TEMPORAL_ADDRESS. */
import { runPart } from '../compose/run-part.ts';

await runPart('gateway', (service) => service.startGateway());
