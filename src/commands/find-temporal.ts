/** The Temporal server of the settings, else that of the last `npm start`. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommandSettings, readTemporalSettings, type TemporalSettings } from '../process/config.ts';
import { connectTemporal, toTemporalConnection } from '../temporal/connection.ts';
import { explainFault } from '../temporal/connection-faults.ts';

export interface FoundTemporal {
  address: string;
  namespace: string;
  /** Why it does not answer; null when it does. */
  fault: string | null;
}

export async function findTemporal(): Promise<FoundTemporal> {
  const settings = readTemporal();
  const { client, close } = connectTemporal(toTemporalConnection(settings));
  const { temporalAddress: address, temporalNamespace: namespace } = settings;
  try {
    await client.workflowService.describeNamespace({ namespace });
    return { address, namespace, fault: null };
  } catch (error) {
    return { address, namespace, fault: explainFault(error) };
  } finally {
    await close();
  }
}

function readTemporal(): TemporalSettings {
  const file = join(readCommandSettings().dataDir, 'local.json');
  if (!existsSync(file)) return readTemporalSettings();
  const { temporalAddress } = JSON.parse(readFileSync(file, 'utf8')) as { temporalAddress: string };
  return readTemporalSettings({ TEMPORAL_ADDRESS: temporalAddress });
}
