/** Overdue fleets, with the alert of each that escalates for all of its devices. */
import type { Knex } from 'knex';
import type { AlertStatus } from '../alerts/alert.ts';
import { acrossOrganizations } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { groupOf } from '../groups/member-group.ts';
import { mutedUntil } from '../mutes/mutes.statements.ts';
import { plusMinutes } from '../process/durations.ts';
import { CANDIDATES_MAX } from './alert-escalation.ts';
import { type EscalationStep, matchingPolicy } from './escalation-policy.ts';

export interface EscalatedFleetRow {
  organizationId: string;
  /** The alert that escalates; null: none does. */
  alertId: string | null;
  status: AlertStatus | null;
  /** False again when a snooze ends. */
  isAcknowledged: boolean;
}

interface BegunFleetEscalation {
  organizationId: string;
  alertId: string;
  serialNumber: string;
  /** The alert that escalated before; null: none did. */
  endedAlertId: string | null;
}

const GROUP = groupOf(':organizationId::uuid', 'a.asset_id');
const WITH_POLICY = `cross join lateral ${matchingPolicy(':organizationId::uuid', 'a.type', 'a.severity', GROUP)} as p`;
const IS_UNMUTED = `${mutedUntil(':organizationId::uuid', 'a.asset_id', GROUP, ':now::timestamptz')} is null`;
const IS_ACKNOWLEDGED = 'a.acknowledged_at is not null and (a.snooze_until > ?::timestamptz) is not false';

export type FleetEscalationsRepository = ReturnType<typeof createFleetEscalationsRepository>;

export const createFleetEscalationsRepository = (sql: Database) => ({
  /** A few rows, from all organizations. */
  async list(now: Date): Promise<EscalatedFleetRow[]> {
    const fleets: Knex.QueryBuilder = sql({ f: 'overdue_fleets' });
    return acrossOrganizations(fleets)
      .leftJoin({ a: 'alerts' }, { 'a.organization_id': 'f.organization_id', 'a.id': 'f.escalated_alert_id' })
      .orderBy('f.organization_id')
      .select({ organizationId: 'f.organization_id', alertId: 'f.escalated_alert_id', status: 'a.status' })
      .select(sql.raw(`${IS_ACKNOWLEDGED} as "isAcknowledged"`, [now]));
  },

  /** False when the fleet is no longer overdue. */
  async lock(organizationId: string): Promise<boolean> {
    const row = await sql('overdue_fleets')
      .where({ organization_id: organizationId })
      .first()
      .forNoKeyUpdate();
    return row !== undefined;
  },

  /** Without a policy for alerts of a missed contact, which are critical, no alert has to be checked. */
  async hasPolicy(organizationId: string): Promise<boolean> {
    const row = await sql('escalation_policies')
      .where({ organization_id: organizationId, status: 'active' })
      .whereRaw(`'no_data' = any(alert_types) and 'critical' = any(severities)`)
      .first('id');
    return row !== undefined;
  },

  /** After the end of the fleet outage, the escalation of its alert continues for that alert alone. */
  async release(organizationId: string): Promise<void> {
    await sql('alert_escalations')
      .where({ organization_id: organizationId })
      .whereIn(
        'alert_id',
        sql('overdue_fleets')
          .where({ organization_id: organizationId })
          .whereNotNull('escalated_alert_id')
          .select('escalated_alert_id'),
      )
      .update({ fleet_overdue: null, fleet_total: null });
  },

  /**
   * The earliest alert of the fleet that matches a policy takes over from the previous one, if any, at its step; if the
   * policy of that one is gone, it starts at the first step. Null when no policy matches. The caller has locked the fleet.
   */
  async escalateNext(organizationId: string, now: Date): Promise<BegunFleetEscalation | null> {
    const own = { organization_id: organizationId };
    const fleet = await sql('overdue_fleets').where(own).first();
    if (!fleet) return null;
    const next = await findUnannounced(sql, organizationId, now);
    const endedAlertId = fleet.escalated_alert_id;
    const previous = endedAlertId && (await endEscalation(sql, organizationId, endedAlertId));
    if (!next) return null;
    const { alertId, serialNumber } = next;
    const begun = await sql('alert_escalations')
      .insert({
        ...own,
        alert_id: alertId,
        ...(previous || newEscalation(next, now)),
        fleet_overdue: fleet.overdue_count,
        fleet_total: fleet.total_count,
      })
      .onConflict()
      .ignore()
      .returning('alert_id');
    if (begun.length === 0) return null;
    await sql('overdue_fleets').where(own).update({ escalated_alert_id: alertId });
    return { organizationId, alertId, serialNumber, endedAlertId };
  },
});

/** An alert of a fleet, and the policy that it matches. */
interface UnannouncedAlert {
  alertId: string;
  serialNumber: string;
  policyId: string;
  steps: EscalationStep[];
}

/** The earliest one that matches a policy and is not muted. */
function findUnannounced(
  sql: Database,
  organizationId: string,
  now: Date,
): Promise<UnannouncedAlert | undefined> {
  const candidates = sql('alerts')
    .where({ organization_id: organizationId })
    .whereRaw(`not is_announced and status = 'new'`)
    .orderBy('id')
    .limit(CANDIDATES_MAX);
  return sql
    .from(candidates.as('a'))
    .joinRaw(WITH_POLICY, { organizationId })
    .whereRaw(IS_UNMUTED, { organizationId, now })
    .orderBy('a.id')
    .first({ alertId: 'a.id', serialNumber: 'a.serial_number', policyId: 'p.id', steps: 'p.steps' });
}

/** Ends the escalation. Returns its progress, for the next alert; null when its policy is gone. */
async function endEscalation(sql: Database, organizationId: string, alertId: string) {
  const own = { organization_id: organizationId };
  const [ended] = await sql('alert_escalations')
    .where({ ...own, alert_id: alertId })
    .update({
      state: sql.raw(
        `case when state in ('policy_disabled', 'policy_deleted') then state else 'resolved' end`,
      ),
    })
    .returning('*');
  if (ended?.state !== 'resolved') return null;
  const policy = await sql('escalation_policies')
    .where({ ...own, id: ended.policy_id, status: 'active' })
    .where((row) => void row.whereNull('disabled_at').orWhere('disabled_at', '<', ended.began_at))
    .first('id');
  if (!policy) return null;
  const { policy_id, began_at, steps_made, repeats_made, last_step_at, held_until, next_step_at } = ended;
  return { policy_id, began_at, steps_made, repeats_made, last_step_at, held_until, next_step_at };
}

const newEscalation = ({ policyId, steps }: UnannouncedAlert, now: Date) => ({
  policy_id: policyId,
  began_at: now,
  next_step_at: plusMinutes(now, steps[0]?.afterMinutes ?? 0),
});
