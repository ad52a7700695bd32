/** Builds the Temporal CLI from the module that tools/temporal pins. */
import { buildWithGo, type GoBuildOptions } from './go-build.ts';
import { pinned } from './temporal-cli-version.ts';

const cliPackage = 'github.com/temporalio/cli';

/** Writes the CLI to the target path. */
export const buildTemporalCli = (target: string, options: GoBuildOptions): Promise<void> =>
  buildWithGo(
    target,
    {
      name: 'Temporal CLI',
      version: pinned.cli,
      packages: [`${cliPackage}/cmd/temporal`],
      linkerFlags: `-s -w -X ${cliPackage}/internal/temporalcli.Version=${pinned.cli}`,
    },
    options,
  );
