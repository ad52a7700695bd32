/**
 * Requirements of a run that this machine may lack: a Temporal server, and the history of the previous
 * release.
 */
import type { Env } from '../embedded/find-program.ts';
import { findTemporalCli } from '../embedded/temporal-cli.ts';
import { findTemporalServer } from '../embedded/temporal-server-programs.ts';
import { findEarlierRelease } from './earlier-release.ts';
import type { LedgerOptions } from './ledger-options.ts';

export interface Wanted {
  env: Env;
  cacheDir: string;
  print(line: string): void;
}

/** Builds missing programs. Returns a missing requirement, in a sentence; null when there is none. */
export async function missingRequirement(options: LedgerOptions, wanted: Wanted): Promise<string | null> {
  if (options.isUpgrade && findEarlierRelease() === null)
    return 'the git history does not hold the release before (a shallow clone?)';
  try {
    await (options.temporal === 'dev' ? findTemporalCli(wanted) : findTemporalServer(wanted));
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
