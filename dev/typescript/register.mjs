/**
 * `node --import=#typescript FILE.ts` runs TypeScript. Types are blanked out, so that stack traces have the
 * lines and columns of the source; packages are loaded as Node.js does.
 */
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// Each registration runs a thread of its own, and workflow threads run bundled code.
if (isMainThread) register('./hooks.mjs', import.meta.url);
