/** The Temporal server of the settings, else that of the last `npm start`. */
import { readCommandSettings, readTemporalSettings, type TemporalSettings } from '../process/config.ts';
import { connectTemporal, toTemporalConnection } from '../temporal/connection.ts';
import { explainFault } from '../temporal/connection-faults.ts';
import { findLocalService } from './local-service.ts';

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

/** Whoever names a database of its own has settings, too. */
function readTemporal(): TemporalSettings {
  const local = readCommandSettings().databaseUrl === null ? findLocalService() : null;
  return local ? readTemporalSettings({ TEMPORAL_ADDRESS: local.temporalAddress }) : readTemporalSettings();
}
