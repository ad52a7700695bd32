/** How a device names itself: a serial number is its own within an organization, in whatever case it is written. */
export interface SerialInOrganization {
  organizationId: string;
  serialNumber: string;
}

export const serialKeyOf = ({ organizationId, serialNumber }: SerialInOrganization): string =>
  `${organizationId} ${serialNumber.toLowerCase()}`;
