import { looksLikeKey } from '../keys/api-key.ts';
import { notFound } from '../process/errors.ts';

/** A serial number identifies a device: unique within an organization, and compared without case. */
export const SERIAL_NUMBER = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

export const NO_SUCH_DEVICE = 'No active device has this serial number';

export interface SerialInOrganization {
  organizationId: string;
  serialNumber: string;
}

/** The keys as bindings of a statement on a set. */
export const serialKeys = (serials: readonly SerialInOrganization[]) => ({
  organizationIds: serials.map(({ organizationId }) => organizationId),
  serialNumbers: serials.map(({ serialNumber }) => serialNumber),
});

/** A key in place of a serial number is a mistake, and would be stored and shown. */
export const isSerialNumber = (text: string) => SERIAL_NUMBER.test(text) && !looksLikeKey(text);

export const sameSerial = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

export const serialKeyOf = ({ organizationId, serialNumber }: SerialInOrganization): string =>
  `${organizationId} ${serialNumber.toLowerCase()}`;

const NAMED_SERIALS_MAX = 10;

/**
 * The devices that a request names by their serials, in that order, without repeats. @throws not found, with the serials
 * that no device has.
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
