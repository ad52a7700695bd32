/** The Temporal server of the settings, else that of the latest `npm start`. */
import { readCommandSettings, readTemporalSettings, type TemporalSettings } from '../process/config.ts';
import { connectTemporal, toTemporalConnection } from '../temporal/connection.ts';
import { explainFault } from '../temporal/connection-faults.ts';
import { findLocalService } from './local-service.ts';

interface FoundTemporal {
  address: string;
  namespace: string;
  /** Why the server does not answer; null when it does. */
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

/** With a database of its own in the settings, Temporal is configured there, too. */
function readTemporal(): TemporalSettings {
  const local = readCommandSettings().databaseUrl === null ? findLocalService() : null;
  return local ? readTemporalSettings({ TEMPORAL_ADDRESS: local.temporalAddress }) : readTemporalSettings();
}
