/** Registers the fleet, a few devices at a time; registered ones stay as they are. */
import type { ServiceClient } from './service-client.ts';

export interface Registration {
  serialNumber: string;
  name?: string;
  model?: string;
}

export interface Registered {
  created: number;
  known: number;
}

const AT_A_TIME = 8;

export async function registerAssets(
  client: ServiceClient,
  registrations: readonly Registration[],
): Promise<Registered> {
  const registered = { created: 0, known: 0 };
  const waiting = registrations.values();
  async function work(): Promise<void> {
    for (const registration of waiting) {
      const { status, body } = await client.send('POST', '/assets', registration);
      if (status === 201) registered.created++;
      else if (status === 409) registered.known++;
      else
        throw new Error(`${registration.serialNumber} could not be registered: ${messageOf(status, body)}`);
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return registered;
}

const messageOf = (status: number, body: unknown) =>
  `${status} ${(body as { message?: string } | undefined)?.message ?? ''}`.trim();
