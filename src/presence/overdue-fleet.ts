/**
 * Detects that more devices of an organization are overdue at once than devices themselves can explain: the
 * service or their network is the cause. That is one event and one alarm, not one for each device.
 */

/** This many devices of any organization may be overdue at once. */
export const FLEET_OVERDUE_MIN = 20;
const FLEET_OVERDUE_PERCENT = 10;

export interface FleetCount {
  /** Number of overdue devices. */
  overdue: number;
  /** Number of active devices. */
  total: number;
}

export interface OverdueFleet extends FleetCount {
  organizationId: string;
  /** The first missed deadline. */
  since: Date;
}

export type OverdueFleetData = ReturnType<typeof overdueFleetData>;

declare module '../db/domain-event.ts' {
  interface EventTypes {
    'fleet.silent': OverdueFleetData;
  }
}

/** The largest number of overdue devices that do not make the fleet overdue. */
export const overdueMax = (total: number): number =>
  Math.max(FLEET_OVERDUE_MIN, Math.floor((total * FLEET_OVERDUE_PERCENT) / 100));

export const isFleetOverdue = ({ overdue, total }: FleetCount): boolean => overdue > overdueMax(total);

export const overdueFleetData = ({ overdue, total, since }: OverdueFleet) => ({
  silent: overdue,
  total,
  since: since.toISOString(),
});
