/** Filters of the fleet, as addresses and forms carry them. */
import { given } from './page-deps.ts';

const FILTERS = ['q', 'status', 'syncStatus', 'batteryStatus', 'groupId'] as const;

export type FleetFilter = Partial<Record<string, string>>;

/** Stands among the sync states: a device that no profile was ever applied to is listed under it alone. */
export const NO_PROFILE = 'no_profile';

export const toFleetFilter = (query: URLSearchParams): FleetFilter =>
  given(Object.fromEntries(FILTERS.map((name) => [name, query.get(name)?.trim()])));

/** The filter of the operation that lists devices. */
export function toAssetsQuery({ syncStatus, ...filter }: FleetFilter): Record<string, string> {
  if (syncStatus === undefined) return given(filter);
  return given(
    syncStatus === NO_PROFILE
      ? { ...filter, hadProfile: 'false' }
      : { ...filter, syncStatus, hadProfile: 'true' },
  );
}
