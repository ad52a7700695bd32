/**
 * Finds alerts and excursions by their time, without going through all of them for each question: a device may have a
 * hundred thousand of either within an hour.
 */
import { partitionPoint } from '../process/partition-point.ts';
import { type Excursion, type ExcursionTerms, keyOfTerms } from './excursions.ts';

/** Unix milliseconds; `endedAt` is null while it is open. */
interface Lasting {
  startedAt: number;
  endedAt: number | null;
}

/**
 * Goes through alerts once, for spans that are asked for in the order of their beginning. Alerts that were found, and only
 * these, may change meanwhile.
 */
export function createAlertsByTime<Alert extends Lasting>(alerts: readonly Alert[]) {
  const upcoming = alerts
    .map((alert, position) => ({ alert, position }))
    .sort((a, b) => b.alert.startedAt - a.alert.startedAt);
  let found: typeof upcoming = [];
  let count = alerts.length;
  return {
    add: (alert: Alert): void => void found.push({ alert, position: count++ }),
    /**
     * Alerts that began within the span, or before it without having ended by then, in the order given; perhaps others that
     * began later.
     */
    within(from: number, to: number): Alert[] {
      for (let next = upcoming.at(-1); next && next.alert.startedAt <= to; next = upcoming.at(-1)) {
        upcoming.pop();
        found.push(next);
      }
      found = found
        .filter(
          ({ alert: { startedAt, endedAt } }) => startedAt >= from || endedAt === null || endedAt >= from,
        )
        .sort((a, b) => a.position - b.position);
      return found.map(({ alert }) => alert);
    },
  };
}

export type AlertsByTime<Alert extends Lasting> = ReturnType<typeof createAlertsByTime<Alert>>;

export type FindExcursion<Carried> = (
  terms: ExcursionTerms,
  moment: number,
) => Excursion<Carried> | undefined;

/**
 * Returns a search for the first excursion of the same terms that lasted at the moment, among those given in the order of
 * their beginning. They may overlap: definitions with other windows or delays have the same terms.
 */
export function createFindExcursion<Carried>(found: readonly Excursion<Carried>[]): FindExcursion<Carried> {
  /** `lastAt`: the latest end up to this excursion, which never decreases. */
  const byTerms = new Map<string, Array<{ excursion: Excursion<Carried>; lastAt: number }>>();
  for (const excursion of found) {
    const key = keyOfTerms(excursion);
    const same = byTerms.get(key) ?? [];
    const lastAt = Math.max(excursion.last.at, same.at(-1)?.lastAt ?? Number.NEGATIVE_INFINITY);
    same.push({ excursion, lastAt });
    byTerms.set(key, same);
  }
  return (terms, moment) => {
    const same = byTerms.get(keyOfTerms(terms)) ?? [];
    const first = same[partitionPoint(same, ({ lastAt }) => lastAt < moment)]?.excursion;
    return first && first.startedAt <= moment ? first : undefined;
  };
}
