/** Filters of the fleet, as addresses and forms carry them. */
import { given } from './page-deps.ts';

const FILTERS = ['q', 'status', 'syncStatus', 'batteryStatus', 'groupId'] as const;

export type FleetFilter = Partial<Record<string, string>>;

export const toFleetFilter = (query: URLSearchParams): FleetFilter =>
  given(Object.fromEntries(FILTERS.map((name) => [name, query.get(name)?.trim()])));
