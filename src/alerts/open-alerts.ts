/** What is open for a device, as its state keeps it: so readings are judged without a look at the alerts themselves. */
import type { OpenAlert } from './alert-state-machine.ts';

export interface OpenAlerts {
  temperature: OpenAlert[];
  /** Id of the one that says that the device is silent. */
  noData: string | null;
}

type StoredOpenAlert = OpenAlert | { noData: string };

export function parseOpenAlerts(kept: unknown): OpenAlerts {
  const entries = kept as StoredOpenAlert[];
  const silence = entries.find((entry) => 'noData' in entry);
  return {
    temperature: entries.filter((entry): entry is OpenAlert => !('noData' in entry)),
    noData: silence?.noData ?? null,
  };
}

export const toStoredOpenAlerts = ({ temperature, noData }: OpenAlerts): object[] => [
  ...temperature,
  ...(noData === null ? [] : [{ noData }]),
];
