/** Counts of a fleet for its page: those of a large one, which take a while, are shown again for some seconds. */
import { createBoundedCache } from '../process/bounded-cache.ts';
import type { FleetView } from './answers.ts';
import { sum } from './counts.ts';
import type { PageDeps } from './page-deps.ts';
import type { Session } from './session.ts';

const LARGE_DEVICES = 20_000;
const SHOWN_MS = 10_000;
const ORGANIZATIONS_MAX = 1_000;

export type CountFleet = (session: Session) => Promise<FleetView>;

export function createFleetCounts({ ask, now }: Pick<PageDeps, 'ask' | 'now'>): CountFleet {
  const counted = createBoundedCache<string, { atMs: number; counts: FleetView }>(ORGANIZATIONS_MAX);
  return async (session) => {
    const { organizationId } = session;
    const atMs = now().getTime();
    const last = counted.get(organizationId);
    if (last && Math.abs(atMs - last.atMs) < SHOWN_MS) return last.counts;
    const counts = await ask(session, 'getFleet');
    if (sum(counts.status) >= LARGE_DEVICES) counted.set(organizationId, { atMs, counts });
    return counts;
  };
}
