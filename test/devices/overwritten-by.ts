import type { DeviceConfiguration } from '../../src/devices/configuration.ts';
import { type OwnedChange, overwrittenKeys } from '../../src/devices/pending-owners.ts';

/** The change after another one became pending over it. */
export function overwrittenBy<Change extends OwnedChange>(
  owned: Change,
  incoming: DeviceConfiguration,
): Change {
  const lost = overwrittenKeys(owned.change, incoming).filter((key) => !owned.lostKeys.includes(key));
  return lost.length > 0 ? { ...owned, lostKeys: [...owned.lostKeys, ...lost] } : owned;
}
