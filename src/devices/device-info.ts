/** The report of a logger about itself: firmware, radio, battery. Only the latest one is stored. */
export interface DeviceInfo {
  serialNumber: string;
  /** "07.02" */
  softwareVersion: string | null;
  modem: { rssiDbm: number | null } | null;
}

export interface DeviceInfoReport {
  organizationId: string;
  receivedAt: Date;
  info: DeviceInfo;
}
