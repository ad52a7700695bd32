/** Resources of a process beside the service, with which tests do the work of its parts on command. */
import { type ComposeOptions, openResources, type Resources } from '../../src/compose/resources.ts';
import { createLog } from '../../src/process/log.ts';
import type { TestService } from './service.ts';
import { useStarted } from './use-started.ts';

export type TestResources = Resources & { close(): Promise<void> };

/** Resources of a process with the settings of the service, for the tests of a describe block. */
export const useResources = (
  dms: Pick<TestService, 'settings'>,
  options: Partial<ComposeOptions> = {},
): TestResources =>
  useStarted(
    () => openTestResources({ settings: dms.settings, ...options }),
    (resources) => resources.close(),
  );

/** By the time of the machine and without a log, unless told otherwise. */
export function openTestResources(
  options: Pick<ComposeOptions, 'settings'> & Partial<ComposeOptions>,
): TestResources {
  const resources = openResources({ log: createLog('silent'), now: () => new Date(), ...options });
  const close = async () => {
    await resources.temporal.close();
    await resources.lagging.close();
    await Promise.all([resources.sql.destroy(), resources.transferSql.destroy()]);
  };
  return { ...resources, close };
}
