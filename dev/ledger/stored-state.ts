/** Reads everything for the oracle from the public API, as a customer would. */
import type { LedgerClient } from './client.ts';
import type { LedgerReading, StoredAlert, StoredDevice, StoredJob } from './records.ts';

const AT_A_TIME = 6;
const PAGE = 500;

export async function readJobs(client: LedgerClient): Promise<StoredJob[]> {
  const jobs = await readAll<Omit<StoredJob, 'targets'>>(client, '/devices/config-jobs');
  return eachAtOnce(jobs, async (job) => ({
    ...job,
    targets: await readAll<StoredJob['targets'][number]>(client, `/devices/config-jobs/${job.id}/targets`),
  }));
}

export const readAlerts = (client: LedgerClient): Promise<StoredAlert[]> => readAll(client, '/alerts');

/** With their histories. */
export const readAlertHistories = async (client: LedgerClient): Promise<StoredAlert[]> =>
  eachAtOnce(await readAlerts(client), async ({ id }) => (await client.get(`/alerts/${id}`)).body);

export async function readDevices(client: LedgerClient, withReadings: boolean): Promise<StoredDevice[]> {
  const assets = await readAll<ListedAsset>(client, '/assets');
  return eachAtOnce(assets, async ({ id, serialNumber, status, syncStatus: listedSyncStatus }) => {
    const { body } = await client.get(`/devices/${serialNumber}/config`);
    const { syncStatus, deviceConfig, pendingConfig } = body;
    const readings = withReadings ? await readAll<LedgerReading>(client, `/assets/${id}/measurements`) : [];
    return {
      assetId: id,
      serialNumber,
      status,
      syncStatus,
      listedSyncStatus,
      deviceConfig,
      pendingConfig,
      readings,
    };
  });
}

interface ListedAsset {
  id: string;
  serialNumber: string;
  status: string;
  syncStatus?: string;
}

/** Number of deliveries that still have to be sent. */
export async function countWaiting(client: LedgerClient, endpoint: string): Promise<Waiting> {
  const [pending, retrying] = await Promise.all(
    ['pending', 'retrying'].map((state) =>
      readAll<WaitingDelivery>(client, `${endpoint}/deliveries?state=${state}`),
    ),
  );
  return { pending: pending?.length ?? 0, retrying: retrying ?? [] };
}

export interface WaitingDelivery {
  id: string;
  nextAttemptAt: string | null;
}

export interface Waiting {
  pending: number;
  retrying: WaitingDelivery[];
}

async function readAll<T>(client: LedgerClient, path: string): Promise<T[]> {
  const items: T[] = [];
  for (let cursor: string | null = null; ; ) {
    const query = `${path.includes('?') ? '&' : '?'}limit=${PAGE}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const { status, body } = await client.get(`${path}${query}`);
    if (status !== 200) throw new Error(`${path} was answered ${status}: ${JSON.stringify(body)}`);
    items.push(...(body.items as T[]));
    cursor = body.nextCursor;
    if (cursor === null) return items;
  }
}

async function eachAtOnce<T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const work = async () => {
    for (const [index, item] of waiting) results[index] = await read(item);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return results;
}
