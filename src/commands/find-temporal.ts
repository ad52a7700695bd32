/** The Temporal server of the settings, else that of the latest `npm start`. */
import { readCommandSettings, readTemporalSettings, type TemporalSettings } from '../process/config.ts';
import { connectTemporal, toTemporalConnection } from '../temporal/connection.ts';
import { explainFault } from '../temporal/connection-faults.ts';
import { findLocalService } from './local-service.ts';

/** `fault` is why the server does not answer; null when it does. */
export async function findTemporal() {
  const settings = readTemporal();
  const { client, close } = connectTemporal(toTemporalConnection(settings));
  const { temporalAddress: address, temporalNamespace: namespace } = settings;
  const looked = client.workflowService.describeNamespace({ namespace });
  const fault = await looked.then(() => null, explainFault).finally(close);
  return { address, namespace, fault };
}

/** With a database of its own in the settings, Temporal is configured there, too. */
function readTemporal(): TemporalSettings {
  const local = readCommandSettings().databaseUrl === null ? findLocalService() : null;
  return local ? readTemporalSettings({ TEMPORAL_ADDRESS: local.temporalAddress }) : readTemporalSettings();
}
