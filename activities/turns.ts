/**
 * Turns of organizations at the slots of a worker. Temporal hands steps out fairly by their fairness key, but a step that
 * waits for a slow receiver, or for many devices, keeps its slot: a step of an organization that has its share is deferred.
 */
import { ApplicationFailure } from '@temporalio/activity';
import { createCounts } from '../src/process/counts.ts';

/** Adds no event to the history of the run. */
const DEFERRED_MS = 2_000;

/** `perOrganizationMax`: steps of one organization at the same time. */
export function createTurns(perOrganizationMax: number) {
  const running = createCounts();

  /** The step, which begins only while its organization has a slot left. */
  return <Ref extends { organizationId: string }, Args extends unknown[], Result>(
    step: (ref: Ref, ...args: Args) => Promise<Result>,
  ) =>
    async (ref: Ref, ...args: Args): Promise<Result> => {
      const { organizationId } = ref;
      if (running.of(organizationId) >= perOrganizationMax) throw deferred();
      return running.during(organizationId, () => step(ref, ...args));
    };
}

const deferred = () =>
  ApplicationFailure.create({
    type: 'Deferred',
    message: 'the organization has its share of the steps of this worker: the step begins a little later',
    nextRetryDelay: DEFERRED_MS,
    // The SDK's log leaves it out.
    category: 'BENIGN',
  });
