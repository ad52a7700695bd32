/** The whole history of a device: its changes in the audit trail, and its groups, jobs, alerts and maintenance. */
import { ALERT_NAMES, type AlertView } from '../alerts/alert.ts';
import type { MutesRepository } from '../mutes/mutes.repository.ts';
import type {
  AlertChange,
  AuditedChange,
  DeviceHistoryRepository,
  MembershipChange,
} from './device-history.repository.ts';
import { HISTORY_MAX, type HistoryEntry } from './device-history-html.ts';
import { html } from './html.ts';
import type { PageDeps } from './page-deps.ts';
import { clock, textOfLines, time, toWords } from './parts.ts';
import type { Session } from './session.ts';
import type { DeviceJob, ShownJobsRepository } from './shown-jobs.repository.ts';

export interface RecordedDevice {
  id: string;
  createdAt: Date;
}

interface DeviceHistoryDeps extends Pick<PageDeps, 'ask' | 'now'> {
  deviceHistory: DeviceHistoryRepository;
  shownJobs: Pick<ShownJobsRepository, 'listOfDevice'>;
  mutes: Pick<MutesRepository, 'listSpans'>;
}

export type ReadDeviceHistory = (session: Session, device: RecordedDevice) => Promise<HistoryEntry[]>;

export function createDeviceHistory(deps: DeviceHistoryDeps): ReadDeviceHistory {
  const { ask, now, deviceHistory, shownJobs, mutes } = deps;
  const limit = String(HISTORY_MAX);

  return async (session, device) => {
    const { organizationId } = session;
    const span = { from: device.createdAt, to: now() };
    const [audited, imported, memberships, jobs, alerts, alertChanges, muted] = await Promise.all([
      deviceHistory.listAudited(organizationId, device.id, HISTORY_MAX),
      deviceHistory.findImport(organizationId, device.createdAt),
      deviceHistory.listMemberships(organizationId, device.id, HISTORY_MAX),
      shownJobs.listOfDevice(organizationId, device.id, HISTORY_MAX),
      ask(session, 'listAlerts', { query: { assetId: device.id, limit } }),
      deviceHistory.listAlertChanges(organizationId, device.id, HISTORY_MAX),
      mutes.listSpans(organizationId, device.id, span),
    ]);
    const isRegistered = audited.some(({ action }) => action === 'registerAsset');
    const types = new Map(alerts.items.map(({ id, type }) => [id, ALERT_NAMES[type]]));
    return [
      ...audited.map(fromAudit),
      ...(isRegistered ? [] : [fromRegistration(device, imported)]),
      ...memberships.map(fromMembership),
      ...jobs.map(fromJob),
      ...alerts.items.flatMap(fromAlert),
      ...alertChanges.map((change) => fromAlertChange(change, types.get(change.alertId))),
      ...muted.map(({ from, to, reason }) =>
        entry(from, {
          text: 'Maintenance',
          detail: html`until ${clock(to.toISOString())}: ${textOfLines(reason)}`,
        }),
      ),
    ].sort((a, b) => (a.at < b.at ? 1 : -1));
  };
}

const entry = (at: Date | string, more: Partial<HistoryEntry> & { text: string }): HistoryEntry => ({
  by: null,
  href: null,
  detail: null,
  audit: null,
  ...more,
  at: typeof at === 'string' ? at : at.toISOString(),
});

const fromAudit = (audit: AuditedChange): HistoryEntry =>
  entry(audit.at, { by: audit.actorName, text: toSentence(audit.action), audit });

/** Without a row of its own, the device came with an import. */
const fromRegistration = (
  { createdAt }: RecordedDevice,
  imported: { by: string | null } | null,
): HistoryEntry =>
  entry(createdAt, {
    by: imported?.by ?? null,
    text: imported === null ? 'Registered' : 'Registered by an import',
  });

const fromMembership = ({ at, groupId, groupName, by }: MembershipChange): HistoryEntry =>
  entry(at, {
    by,
    text: `${groupId === null ? 'Left' : 'Joined'} the group ${groupName ?? ''}`.trim(),
    href: groupId && `/operator/groups/${groupId}`,
  });

const fromJob = ({ jobId, profileName, state, reason, updatedAt }: DeviceJob): HistoryEntry =>
  entry(updatedAt, {
    text: `Profile ${profileName}: ${toWords(state)}`,
    href: `/operator/jobs/${jobId}`,
    detail: reason,
  });

const fromAlert = ({ id, type, timestamp, endedAt }: AlertView): HistoryEntry[] => {
  const href = `/operator/alerts/${id}`;
  return [
    entry(timestamp, { text: `Alert began: ${ALERT_NAMES[type]}`, href }),
    ...(endedAt === null ? [] : [entry(endedAt, { text: `Alert ended: ${ALERT_NAMES[type]}`, href })]),
  ];
};

const fromAlertChange = ({ alertId, at, action, by, comment }: AlertChange, type = ''): HistoryEntry =>
  entry(at, {
    by: by?.name ?? null,
    text: `Alert ${toWords(action)}${type && `: ${type}`}`,
    href: `/operator/alerts/${alertId}`,
    detail: action === 'snoozed' ? time(comment) : textOfLines(comment),
  });

/** `changeAsset` as "Change asset". */
function toSentence(action: string): string {
  const words = toWords(action);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
