/** Filters of the fleet, as addresses and forms carry them. */
import { given } from './page-deps.ts';

export const FILTER_LABELS: Readonly<Record<string, string>> = {
  q: 'Search',
  status: 'Contact',
  syncStatus: 'Configuration',
  batteryStatus: 'Battery',
  model: 'Model',
  profileSlug: 'Profile',
  groupId: 'Group',
};

export type FleetFilter = Partial<Record<string, string>>;

/** Stands among the sync states: a device that has had no profile is listed under it alone. */
export const NO_PROFILE = 'no_profile';

export const toFleetFilter = (query: URLSearchParams): FleetFilter =>
  given(Object.fromEntries(Object.keys(FILTER_LABELS).map((name) => [name, query.get(name)?.trim()])));

/** The filter of the operation that lists devices. */
export function toAssetsQuery({ syncStatus, ...filter }: FleetFilter): Record<string, string> {
  if (syncStatus === undefined) return given(filter);
  return given(
    syncStatus === NO_PROFILE
      ? { ...filter, hadProfile: 'false' }
      : { ...filter, syncStatus, hadProfile: 'true' },
  );
}
