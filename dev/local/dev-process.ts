/**
 * The service of `npm run dev`. It loads packages ahead, but no source, which would be an old one by the time that it is
 * told to start.
 */
import { once } from 'node:events';

const PACKAGES = ['@temporalio/worker', '@temporalio/client', 'joi', 'knex', 'koa', 'pg', 'pino', 'undici'];

process.once('disconnect', () => process.exit());
await Promise.all(PACKAGES.map((name) => import(name)));
await once(process, 'message');
await import('../bin/start.ts');
process.send?.('up');
