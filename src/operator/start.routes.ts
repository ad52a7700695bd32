import { type AlertView, alertView } from '../alerts/alert.ts';
import type { AlertsRepository } from '../alerts/alerts.repository.ts';
import { POLICIES_MAX } from '../escalations/escalation-policy.ts';
import { DAY_MS } from '../process/durations.ts';
import type { ProfilesRepository } from '../profiles/profiles.repository.ts';
import type { AlertNotificationsRepository } from './alert-notifications.repository.ts';
import { sum } from './counts.ts';
import type { CountContacts } from './fleet-counts.service.ts';
import { toAssetsQuery } from './fleet-filter.ts';
import type { OperatorPage, PageDeps } from './page-deps.ts';
import { OPERATOR_PATH, type Session } from './session.ts';
import type { ShownAssetsRepository } from './shown-assets.repository.ts';
import { listChannels } from './shown-channels.ts';
import type { ShownJobsRepository } from './shown-jobs.repository.ts';
import type { OpenAlerts, StartRepository, TroubledJob } from './start.repository.ts';
import { byUrgency, isChannelInTrouble, isWebhookInTrouble, toAlertReads, toNotified } from './start.ts';
import { type Calm, type StartPage, startHtml, type TroubledJobs } from './start-html.ts';

export interface StartPageDeps extends PageDeps {
  start: StartRepository;
  listOldestNew: AlertsRepository['listOldestNew'];
  countContacts: CountContacts;
  alertNotifications: Pick<AlertNotificationsRepository, 'listOpenings' | 'listSteps'>;
  shownJobs: Pick<ShownJobsRepository, 'listNewestChanges'>;
  listProfileNames: ProfilesRepository['listNames'];
  shownAssets: ShownAssetsRepository;
}

const ROWS = 10;
const RESOLVED_READ = '20';

export function startRoutes(deps: StartPageDeps): OperatorPage[] {
  const { ask, showPage, linksFor, now, start, listOldestNew, countContacts, alertNotifications } = deps;
  const { shownJobs, listProfileNames, shownAssets } = deps;

  async function listAlerts({ organizationId }: Session, open: OpenAlerts): Promise<AlertView[]> {
    const alerts = await Promise.all(
      toAlertReads(open.new).map((read) => listOldestNew(organizationId, read)),
    );
    return alerts.flat().map(alertView).sort(byUrgency);
  }

  async function listTroubledJobs(session: Session): Promise<Record<TroubledJob['status'], TroubledJobs>> {
    const since = new Date(now().getTime() - DAY_MS);
    const found = await start.listTroubledJobs(session.organizationId, { since, limit: ROWS });
    const jobs = await Promise.all(
      found.map(({ id }) => ask(session, 'getConfigJob', { params: { jobId: id } })),
    );
    const withStatus = (status: TroubledJob['status']) => ({
      items: jobs.filter((_, index) => found[index]?.status === status),
      inAll: found.find((each) => each.status === status)?.inAll ?? 0,
    });
    return {
      running: withStatus('running'),
      aborted: withStatus('aborted'),
      completed_with_failures: withStatus('completed_with_failures'),
    };
  }

  async function findCalm(session: Session): Promise<Calm> {
    const [{ status, inContact }, { items }] = await Promise.all([
      countContacts(session.organizationId),
      ask(session, 'listAlerts', { query: { status: 'resolved', limit: RESOLVED_READ } }),
    ]);
    const since =
      items
        .map(({ updatedAt }) => updatedAt)
        .sort()
        .at(-1) ?? null;
    return {
      since,
      inContact,
      devices: sum(status),
      online: status.online,
      neverReported: status.new,
    };
  }

  async function findPage(session: Session): Promise<StartPage> {
    const { organizationId } = session;
    // Without the counts of devices, which take a while in a large fleet.
    const open = await start.countOpenAlerts(organizationId);
    const limit = String(ROWS);
    const [alerts, outage, failed, drifted, jobs, events, cellular, channels, escalations, unregistered] =
      await Promise.all([
        listAlerts(session, open),
        start.findOutage(organizationId),
        ask(session, 'listAssets', { query: { syncStatus: 'failed', limit } }),
        ask(session, 'listAssets', { query: { ...toAssetsQuery({ syncStatus: 'drifted' }), limit } }),
        listTroubledJobs(session),
        ask(session, 'listWebhooks'),
        ask(session, 'listCellularWebhooks'),
        listChannels(ask, session),
        ask(session, 'listEscalations', { query: { limit: String(POLICIES_MAX) } }),
        ask(session, 'listUnregisteredDevices', { query: { limit } }),
      ]);
    const alertIds = alerts.map(({ id }) => id);
    const [devices, notifications, steps, failedChanges, appliedChanges] = await Promise.all([
      shownAssets.list(
        organizationId,
        alerts.map(({ assetId }) => assetId),
      ),
      alertNotifications.listOpenings(organizationId, alertIds),
      alertNotifications.listSteps(organizationId, alertIds),
      shownJobs.listNewestChanges(
        organizationId,
        failed.items.map(({ id }) => id),
        'failed',
      ),
      shownJobs.listNewestChanges(
        organizationId,
        drifted.items.map(({ id }) => id),
        'applied',
      ),
    ]);
    const slugs = [
      ...Object.values(jobs).flatMap(({ items }) => items),
      ...failedChanges.values(),
      ...appliedChanges.values(),
    ].map(({ profileSlug }) => profileSlug);
    const known = { notifications, steps, channels, escalations: escalations.items };
    const page = {
      alerts: alerts.map((alert) => ({
        alert,
        name: devices.get(alert.assetId)?.name ?? alert.serialNumber,
        layout: devices.get(alert.assetId),
        notified: toNotified(alert, known),
      })),
      outage,
      alertsInAll: open.new.reduce((total, { count }) => total + count, 0),
      acknowledged: open.acknowledged,
      failed: failed.items.map((device) => ({ device, change: failedChanges.get(device.id) ?? null })),
      failedInAll: failed.totalItems,
      drifted: drifted.items.map((device) => ({
        device,
        slug: appliedChanges.get(device.id)?.profileSlug ?? null,
      })),
      driftedInAll: drifted.totalItems,
      jobs,
      profileNames: await listProfileNames(organizationId, slugs),
      webhooks: [...events.items, ...cellular.items].filter(isWebhookInTrouble),
      channels: channels.filter(isChannelInTrouble),
      unregistered: unregistered.items,
      hasMoreUnregistered: unregistered.nextCursor !== null,
    };
    const isCalm = [
      page.alerts,
      page.failed,
      page.drifted,
      ...Object.values(page.jobs).map(({ items }) => items),
      page.webhooks,
      page.channels,
      page.unregistered,
    ].every(({ length }) => length === 0);
    return { ...page, calm: isCalm ? await findCalm(session) : null };
  }

  return [
    showPage({ path: OPERATOR_PATH, section: 'Now', isLive: true }, async (session, { form }) => {
      const page = await findPage(session);
      const content = startHtml(page, {
        link: linksFor(session),
        mayChange: session.role !== 'read',
        note: form.get('comment'),
        now: now(),
      });
      return { title: 'Now', content };
    }),
  ];
}
