import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { WorkflowBundleOption } from '@temporalio/worker';

const isBuilt = import.meta.url.endsWith('.js');
const BUILT_BUNDLE = fileURLToPath(new URL('../../workflow-bundle.cjs', import.meta.url));

const pathOf = (name: string) =>
  fileURLToPath(new URL(`../../workflows/${name}.${isBuilt ? 'js' : 'ts'}`, import.meta.url));

/** The given file, the bundle of the build, or a new one, which takes seconds. */
export async function bundleWorkflows(path: string | null = null): Promise<WorkflowBundleOption> {
  if (path !== null) return { codePath: path };
  return isBuilt && existsSync(BUILT_BUNDLE) ? { codePath: BUILT_BUNDLE } : newWorkflowBundle();
}

/** Takes seconds. */
export async function newWorkflowBundle() {
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  return bundleWorkflowCode({
    workflowsPath: pathOf('index'),
    workflowInterceptorModules: [pathOf('trace-header')],
    logger: new DefaultLogger('ERROR'),
  });
}
