/** While a process takes in what devices say, it says so: see alerts/listening.ts. */
import type { ListenerName } from '../presence/ingress-availability.ts';
import { every, type Periodic } from '../process/periodic.ts';
import type { UseCases } from './use-cases.ts';

const RENEWED_EVERY_MS = 10_000;

export const renewListener = ({ repositories, log }: UseCases, name: ListenerName): Periodic =>
  every(
    RENEWED_EVERY_MS,
    () => repositories.listeners.renew(name),
    (err) => log.warn({ err }, `that the ${name} listens was not noted: it is tried again`),
  );
