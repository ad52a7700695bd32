/**
 * Starts the workflows of what runs without one: a crash between commit and start, or Temporal away at that time, or a
 * Temporal server that lost its data. Starting one that runs is harmless.
 */
export interface UnattendedSweepDeps {
  /** What no workflow has looked at for so long. */
  listUnattended(olderThanMs: number, limit: number): Promise<Unattended[]>;
  start(unattended: Unattended): Promise<void>;
  markSeen(id: string): Promise<void>;
  /** A workflow looks at what is its own at least this often. */
  lookAgainMs: number;
}

/** A job, or an endpoint in trouble. */
export interface Unattended {
  id: string;
  organizationId: string;
}

const STARTED_PER_SWEEP = 200;
const MISSED_LOOKS = 3;

export async function sweepUnattended(deps: UnattendedSweepDeps): Promise<void> {
  const { listUnattended, start, markSeen, lookAgainMs } = deps;
  for (const unattended of await listUnattended(lookAgainMs * MISSED_LOOKS, STARTED_PER_SWEEP)) {
    await start(unattended);
    await markSeen(unattended.id);
  }
}
