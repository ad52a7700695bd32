/** The service of `npm run dev`. It loads no source before it is asked to start, which would be an old one by then. */
import { once } from 'node:events';

process.once('disconnect', () => process.exit());
await once(process, 'message');
await import('./start.ts');
process.send?.('up');
