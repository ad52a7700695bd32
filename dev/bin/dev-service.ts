/**
 * The service of `npm run dev`. It loads no source before it is asked to start, which would be an old one by then; the
 * packages are there already, which is half of a start.
 */
import { once } from 'node:events';

process.once('disconnect', () => process.exit());
await Promise.all([
  import('@temporalio/worker'),
  import('joi'),
  import('knex'),
  import('koa'),
  import('undici'),
]);
await once(process, 'message');
await import('./start.ts');
process.send?.('up');
