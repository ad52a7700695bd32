/** Part of the build: writes the workflow bundle beside the built code, so a worker starts without bundling. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleWorkflows } from './workflow-bundle.ts';

const bundle = await bundleWorkflows();
if ('code' in bundle)
  writeFileSync(fileURLToPath(new URL('../../workflow-bundle.cjs', import.meta.url)), bundle.code);
