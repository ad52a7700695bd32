/** Part of the build: writes the workflow bundle beside the built code, so a worker starts without bundling. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newWorkflowBundle } from './workflow-bundle.ts';

const { code } = await newWorkflowBundle();
writeFileSync(fileURLToPath(new URL('../../workflow-bundle.cjs', import.meta.url)), code);
