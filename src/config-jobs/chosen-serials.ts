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
  const wanted = [...new Map(serials.map((serial) => [serial.toLowerCase(), serial]))];
  const bySerial = new Map(found.map((device) => [device.serialNumber.toLowerCase(), device]));
  const unknown = wanted.filter(([key]) => !bySerial.has(key)).map(([, serial]) => serial);
  if (unknown.length > 0) throw notFound(unknownSerials(unknown));
  return wanted.map(([key]) => bySerial.get(key) as Device);
}

export function unknownSerials(unknown: string[]): string {
  const named = unknown.slice(0, NAMED_SERIALS_MAX).join(', ');
  const more = unknown.length > NAMED_SERIALS_MAX ? ', …' : '';
  return `serialNumbers: ${unknown.length} without an active device: ${named}${more}`;
}
