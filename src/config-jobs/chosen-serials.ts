/** Devices that a request names by their serial numbers; each of them must exist. */
import { notFound } from '../process/errors.ts';

const NAMED_SERIALS_MAX = 10;

/**
 * The devices in the order of the serials, without repeats. @throws not found, with the serials that no
 * device has.
 */
export function inOrderOf<Device extends { serialNumber: string }>(
  serials: string[],
  found: Device[],
): Device[] {
  const bySerial = new Map(found.map((device) => [device.serialNumber.toLowerCase(), device]));
  const fault = unknownSerials(serials, bySerial);
  if (fault !== null) throw notFound(fault);
  return [...byKey(serials).keys()].map((key) => bySerial.get(key) as Device);
}

/** Names each serial that no device has once. `found` has the devices by serial in lower case; null: it has all. */
export function unknownSerials(
  serials: readonly string[],
  found: ReadonlyMap<string, unknown>,
): string | null {
  const unknown = [...byKey(serials)].filter(([key]) => !found.has(key)).map(([, serial]) => serial);
  if (unknown.length === 0) return null;
  const named = unknown.slice(0, NAMED_SERIALS_MAX).join(', ');
  const more = unknown.length > NAMED_SERIALS_MAX ? ', …' : '';
  return `serialNumbers: ${unknown.length} without an active device: ${named}${more}`;
}

const byKey = (serials: readonly string[]) =>
  new Map(serials.map((serial) => [serial.toLowerCase(), serial]));
