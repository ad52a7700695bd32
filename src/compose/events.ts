import { createDeliveriesRepository } from '../deliveries/deliveries.repository.ts';
import { createPublishEvents } from '../events/events.service.ts';

export const composeEvents = () => ({
  publish: createPublishEvents({ deliveriesIn: createDeliveriesRepository }),
});
