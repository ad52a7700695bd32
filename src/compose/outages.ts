/** Recognizes errors that are outages of dependencies. */
import { isOutage } from '../db/faults.ts';
import type { Outage } from '../process/outage-log.ts';
import { explainFault, isTemporalAway } from '../temporal/connection-faults.ts';

export function findOutage(error: unknown): Outage | null {
  if (!(error instanceof Error)) return null;
  if (isTemporalAway(error)) return { dependency: 'Temporal', reason: explainFault(error) };
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (isOutage(each)) return { dependency: 'PostgreSQL', reason: reasonOf(each) };
  }
  return null;
}

/** Removes the statement, which Knex puts before the reason. */
const reasonOf = ({ message, name }: Error): string => message.split(' - ').at(-1) || name;
