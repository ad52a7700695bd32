import { ok, type Route, route } from '../http/route.ts';
import type { FleetRepository } from './fleet.repository.ts';
import { fleetSchema } from './fleet.schemas.ts';
import { fleetView } from './fleet.ts';

export const fleetRoutes = (fleet: Pick<FleetRepository, 'count'>): Route[] => [
  route({
    method: 'GET',
    path: '/fleet',
    operationId: 'getFleet',
    summary: 'Count devices, alerts and webhooks by state',
    description: 'One look at the whole organization. Every state is named, also those with none.',
    tag: 'Assets',
    responses: { 200: fleetSchema },
    handle: async ({ caller }) => ok(fleetView(await fleet.count(caller.organizationId))),
  }),
];
