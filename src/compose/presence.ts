import { createIngressAvailabilityRepository } from '../presence/ingress-availability.repository.ts';
import type { Ingress } from '../presence/ingress-availability.ts';
import { type Periodic, startPeriodic } from '../process/periodic.ts';
import type { Resources } from './resources.ts';

const HEARTBEAT_EVERY_MS = 10_000;

export function composePresence({ sql, log }: Resources) {
  const availability = createIngressAvailabilityRepository(sql);
  return {
    availability,
    /** For as long as a process accepts messages from devices: see presence/ingress-availability.ts. */
    startIngressHeartbeat: (name: Ingress): Periodic =>
      startPeriodic(
        HEARTBEAT_EVERY_MS,
        () => availability.renew(name),
        (err) => log.warn({ err }, `The heartbeat of the ${name} was not recorded: it is tried again`),
      ),
  };
}
