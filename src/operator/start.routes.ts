import { ALERT_TYPES, type AlertView } from '../alerts/alert.ts';
import { HOUR_MS } from '../process/durations.ts';
import { sum } from './counts.ts';
import type { DeviceJobsRepository } from './device-jobs.repository.ts';
import { toAssetsQuery } from './fleet-filter.ts';
import { noticeOf, type OperatorPage, type PageDeps } from './page-deps.ts';
import { OPERATOR_PATH, type Session } from './session.ts';
import type { ShownAssetsRepository } from './shown-assets.repository.ts';
import type { OpenAlerts, StartRepository } from './start.repository.ts';
import { byUrgency, isChannelInTrouble, isNewlyAborted, isWebhookInTrouble, toNotified } from './start.ts';
import { type Calm, type StartPage, startHtml } from './start-html.ts';

export interface StartPageDeps extends PageDeps {
  start: StartRepository;
  deviceJobs: Pick<DeviceJobsRepository, 'listNewest'>;
  shownAssets: ShownAssetsRepository;
}

/** A limit per type, so that a fleet without contact hides no warm fridge. */
const ALERTS_PER_TYPE = '10';
const ROWS = '10';
/** All channels and escalations that there can be. */
const ALL = '100';
const RESOLVED_READ = '20';
const IN_CONTACT_MAX = 10_001;
const STEP_MS = 5 * 60_000;

export function startRoutes({
  ask,
  layout,
  linksFor,
  now,
  start,
  deviceJobs,
  shownAssets,
}: StartPageDeps): OperatorPage[] {
  /** Types without a new alert are not looked for, which would read through all those that are resolved. */
  async function listAlerts(session: Session, { byType }: OpenAlerts): Promise<AlertView[]> {
    const pages = await Promise.all(
      ALERT_TYPES.filter((type) => byType.has(type)).map((type) =>
        ask(session, 'listAlerts', { query: { status: 'new', type, limit: ALERTS_PER_TYPE } }),
      ),
    );
    return pages.flatMap(({ items }) => items).sort(byUrgency);
  }

  async function findCalm(session: Session, acknowledged: number): Promise<Calm> {
    // So that a page on which nothing has changed looks the same again.
    const at = Math.floor(now().getTime() / STEP_MS) * STEP_MS;
    const [byStatus, inContact, { items }] = await Promise.all([
      start.countDevices(session.organizationId),
      start.countInContact(session.organizationId, new Date(at - HOUR_MS), IN_CONTACT_MAX),
      ask(session, 'listAlerts', { query: { status: 'resolved', limit: RESOLVED_READ } }),
    ]);
    const since =
      items
        .map(({ updatedAt }) => updatedAt)
        .sort()
        .at(-1) ?? null;
    return {
      since,
      acknowledged,
      inContact,
      inContactMax: IN_CONTACT_MAX,
      devices: sum(byStatus),
      online: byStatus.online ?? 0,
      neverReported: byStatus.new ?? 0,
    };
  }

  async function findPage(session: Session): Promise<StartPage> {
    const { organizationId } = session;
    // Without the counts of devices, which take a while in a large fleet.
    const open = await start.countOpenAlerts(organizationId);
    const [alerts, failed, drifted, jobs, aborted, events, cellular, channels, escalations, unregistered] =
      await Promise.all([
        listAlerts(session, open),
        ask(session, 'listAssets', { query: { syncStatus: 'failed', limit: ROWS } }),
        ask(session, 'listAssets', { query: { ...toAssetsQuery({ syncStatus: 'drifted' }), limit: ROWS } }),
        ask(session, 'listConfigJobs', { query: { status: 'running', limit: ROWS } }),
        ask(session, 'listConfigJobs', { query: { status: 'aborted', limit: ROWS } }),
        ask(session, 'listWebhooks'),
        ask(session, 'listCellularWebhooks'),
        ask(session, 'listNotificationChannels', { query: { limit: ALL } }),
        ask(session, 'listEscalations', { query: { limit: ALL } }),
        ask(session, 'listUnregisteredDevices', { query: { limit: ROWS } }),
      ]);
    const [names, notifications, failedChanges, appliedChanges] = await Promise.all([
      shownAssets.listNames(
        organizationId,
        alerts.map(({ assetId }) => assetId),
      ),
      start.listNotifications(
        organizationId,
        alerts.map(({ id }) => id),
      ),
      deviceJobs.listNewest(
        organizationId,
        failed.items.map(({ id }) => id),
        'failed',
      ),
      deviceJobs.listNewest(
        organizationId,
        drifted.items.map(({ id }) => id),
        'applied',
      ),
    ]);
    const known = { notifications, channels: channels.items, escalations: escalations.items };
    const page = {
      alerts: alerts.map((alert) => ({
        alert,
        name: names.get(alert.assetId) ?? alert.serialNumber,
        notified: toNotified(alert, known),
      })),
      alertsInAll: [...open.byType.values()].reduce((total, count) => total + count, 0),
      acknowledged: open.acknowledged,
      failed: failed.items.map((device) => ({ device, change: failedChanges.get(device.id) ?? null })),
      drifted: drifted.items.map((device) => ({
        device,
        slug: appliedChanges.get(device.id)?.profileSlug ?? null,
      })),
      driftedInAll: drifted.totalItems,
      aborted: aborted.items.filter((job) => isNewlyAborted(job, now())),
      jobs: jobs.items.filter(({ counts: { failed: count } }) => count > 0),
      webhooks: [...events.items, ...cellular.items].filter(isWebhookInTrouble),
      channels: channels.items.filter(isChannelInTrouble),
      unregistered: unregistered.items,
      hasMoreUnregistered: unregistered.nextCursor !== null,
    };
    const isCalm = [
      page.alerts,
      page.failed,
      page.drifted,
      page.aborted,
      page.jobs,
      page.webhooks,
      page.channels,
      page.unregistered,
    ].every(({ length }) => length === 0);
    return { ...page, calm: isCalm ? await findCalm(session, page.acknowledged) : null };
  }

  return [
    {
      method: 'GET',
      path: OPERATOR_PATH,
      role: 'read',
      isLive: true,
      async handle({ visitor: session, query, url }) {
        const page = await findPage(session);
        const content = startHtml(page, {
          link: linksFor(session),
          mayChange: session.role !== 'read',
          now: now(),
        });
        const notice = noticeOf(query);
        return { page: layout({ title: 'Now', session, section: 'Now', watch: url, notice }, content) };
      },
    },
  ];
}
