import { createFleetRepository } from '../fleet/fleet.repository.ts';
import { fleetRoutes } from '../fleet/fleet.routes.ts';
import { createSharedReads } from '../process/shared-reads.ts';
import type { Resources } from './resources.ts';

/** A fleet is counted device by device, and shown on every page of its operators. */
export const composeFleet = ({ sql }: Resources) => ({
  routes: fleetRoutes({ count: createSharedReads(createFleetRepository(sql).count) }),
});
