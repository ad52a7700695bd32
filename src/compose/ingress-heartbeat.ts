/** While a process takes in what devices say, it says so: see alerts/listening.ts. */
import type { Ingress } from '../presence/ingress-availability.ts';
import { type Periodic, startPeriodic } from '../process/periodic.ts';
import type { UseCases } from './use-cases.ts';

const RENEWED_EVERY_MS = 10_000;

export const startIngressHeartbeat = ({ repositories, log }: UseCases, name: Ingress): Periodic =>
  startPeriodic(
    RENEWED_EVERY_MS,
    () => repositories.listeners.renew(name),
    (err) => log.warn({ err }, `that the ${name} listens was not noted: it is tried again`),
  );
