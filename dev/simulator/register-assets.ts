/** Registers the fleet, a few devices at a time; registered ones stay as they are. */
import { createServiceClient } from './service-client.ts';

const AT_A_TIME = 8;

export async function registerAssets(
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
  registrations: ReadonlyArray<{ serialNumber: string; name?: string }>,
): Promise<{ created: number; known: number }> {
  const client = createServiceClient({ baseUrl, key: apiKey });
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
  try {
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    return registered;
  } finally {
    await client.close();
  }
}

const messageOf = (status: number, body: unknown) =>
  `${status} ${(body as { message?: string } | undefined)?.message ?? ''}`.trim();
