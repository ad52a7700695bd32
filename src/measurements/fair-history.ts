/**
 * Organizations take turns with the connections of exports: a large export delays others by one of its statements, and not
 * by all of them.
 */
import { inTurns, type KeyedSemaphore } from '../process/keyed-semaphore.ts';
import type { HistoryRepository } from './history.repository.ts';

export const readInTurns = (history: HistoryRepository, turns: KeyedSemaphore): HistoryRepository => ({
  ...inTurns(history, turns, 'listSamples', 'listFew'),
  lister(scope) {
    const list = history.lister(scope);
    return (filter) => turns.run(scope.organizationId, () => list(filter));
  },
});
