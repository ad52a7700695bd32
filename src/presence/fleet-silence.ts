/**
 * When so many devices of an organization are overdue at once that the cause is hardly the devices: ours, or their
 * network. That is one event and one alarm, not one for each device.
 */

/** So many devices of any organization may be overdue at once. */
export const SILENT_MIN = 20;
const SILENT_PERCENT = 10;

export interface FleetCount {
  /** Devices that are overdue. */
  silent: number;
  /** Active devices. */
  total: number;
}

export interface FleetSilence extends FleetCount {
  organizationId: string;
  /** The first deadline that was missed. */
  since: Date;
}

export interface FleetSilentData extends FleetCount {
  /** ISO 8601. */
  since: string;
}

declare module '../db/domain-event.ts' {
  interface EventTypes {
    'fleet.silent': FleetSilentData;
  }
}

/** Most devices that may be overdue at once before it is a silence. */
export const silentMax = (total: number): number =>
  Math.max(SILENT_MIN, Math.floor((total * SILENT_PERCENT) / 100));

export const isFleetSilent = ({ silent, total }: FleetCount): boolean => silent > silentMax(total);

export const fleetSilentData = ({ silent, total, since }: FleetSilence): FleetSilentData => ({
  silent,
  total,
  since: since.toISOString(),
});
