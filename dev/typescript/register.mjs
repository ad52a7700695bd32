/**
 * `node --import=#typescript FILE.ts` runs TypeScript. Types are blanked out, so that lines and columns in stack traces are
 * those of the source; packages are loaded as Node.js does it.
 */
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// Each registration runs a thread of its own, and the threads of workflows run bundled code.
if (isMainThread) register('./hooks.mjs', import.meta.url);
