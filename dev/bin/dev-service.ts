/**
 * The service of `npm run dev`. It loads sources only when it is asked to start, because earlier ones could be
 * outdated by then; packages are loaded before, which is half of a start.
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
