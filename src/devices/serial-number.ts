import { looksLikeKey } from '../keys/api-key.ts';

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
