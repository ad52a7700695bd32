import { createFleetRepository } from '../fleet/fleet.repository.ts';
import { fleetRoutes } from '../fleet/fleet.routes.ts';
import type { Resources } from './resources.ts';

export const composeFleet = ({ sql }: Resources) => ({ routes: fleetRoutes(createFleetRepository(sql)) });
