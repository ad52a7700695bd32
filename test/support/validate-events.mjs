/** For processes that tests start. Worker threads inherit the import, but cannot load TypeScript. */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) await import('./validate-events.ts');
