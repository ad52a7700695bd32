/**
 * When so many devices of an organization are overdue at once that the cause is hardly the devices: ours, or their
 * network. That is one event and one alarm, not one for each device.
 */

/** So many devices of any organization may be overdue at once. */
export const FLEET_OVERDUE_MIN = 20;
const FLEET_OVERDUE_PERCENT = 10;

export interface FleetCount {
  /** Devices that are overdue. */
  overdue: number;
  /** Active devices. */
  total: number;
}

export interface OverdueFleet extends FleetCount {
  organizationId: string;
  /** The first deadline that was missed. */
  since: Date;
}

export interface OverdueFleetData {
  silent: number;
  total: number;
  /** ISO 8601. */
  since: string;
}

declare module '../db/domain-event.ts' {
  interface EventTypes {
    'fleet.silent': OverdueFleetData;
  }
}

/** Most devices that may be overdue at once before their fleet is. */
export const overdueMax = (total: number): number =>
  Math.max(FLEET_OVERDUE_MIN, Math.floor((total * FLEET_OVERDUE_PERCENT) / 100));

export const isFleetOverdue = ({ overdue, total }: FleetCount): boolean => overdue > overdueMax(total);

export const overdueFleetData = ({ overdue, total, since }: OverdueFleet): OverdueFleetData => ({
  silent: overdue,
  total,
  since: since.toISOString(),
});
