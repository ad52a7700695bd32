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
