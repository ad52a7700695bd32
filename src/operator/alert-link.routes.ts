/**
 * The page of the link in a mail about alerts, without a session: opening it changes nothing, because mail
 * programs open links as well; its button acknowledges. The link permits nothing else.
 */
import { toMailReaderName } from '../audit/audit.ts';
import { POLICIES_MAX } from '../escalations/escalation-policy.ts';
import type { CallOperation } from '../http/operations.ts';
import type { OpenPageRoute } from '../http/page-route.ts';
import { ALERT_LINK_PATHS } from '../notifications/alert-link.ts';
import type { WorkingLink } from '../notifications/alert-links.service.ts';
import { ignoreConflict } from '../process/errors.ts';
import type { KeyedSemaphore } from '../process/keyed-semaphore.ts';
import { alertLinkHtml, alertsLinkHtml, deadAlertLinkHtml } from './alert-link-html.ts';
import type { AlertNotificationsRepository } from './alert-notifications.repository.ts';
import type { Answers } from './answers.ts';
import { placeOf } from './device-html.ts';
import type { PageDeps } from './page-deps.ts';
import { type Session, toCaller } from './session.ts';
import type { ShownAssetsRepository } from './shown-assets.repository.ts';
import { listChannels } from './shown-channels.ts';
import type { StartRepository } from './start.repository.ts';
import { type Notified, toNotified } from './start.ts';

export interface AlertLinkDeps extends Pick<PageDeps, 'ask' | 'layout' | 'now'> {
  call: CallOperation;
  find(kind: WorkingLink['kind'], token: string): Promise<WorkingLink | null>;
  /** Alerts that the message of the link names; null: the message is gone. */
  listAlertIds(link: WorkingLink): Promise<string[] | null>;
  findOrganizationName(organizationId: string): Promise<string | null>;
  shownAssets: Pick<ShownAssetsRepository, 'list'>;
  alertNotifications: Pick<AlertNotificationsRepository, 'listOpenings'>;
  start: Pick<StartRepository, 'findOutage'>;
  /** Shared with links that sign in. */
  lookUps: KeyedSemaphore;
  /** @throws when this address has sent too many wrong links. */
  countFailure(address: string): void;
  /** @throws when the link is used too often. */
  admit(session: Session): void;
}

export function alertLinkRoutes(deps: AlertLinkDeps): Array<OpenPageRoute<Session>> {
  const { ask, layout, now, shownAssets, alertNotifications, start } = deps;

  async function open(kind: WorkingLink['kind'], token: string, client: string): Promise<Opened | null> {
    const link = await deps.lookUps.run(client, () => deps.find(kind, token));
    const alertIds = link && (kind === 'alert' ? [link.id] : await deps.listAlertIds(link));
    if (!link || !alertIds) {
      deps.countFailure(client);
      return null;
    }
    const organizationName = (await deps.findOrganizationName(link.organizationId)) ?? '';
    const session = toSession(link, organizationName);
    deps.admit(session);
    return { link, session, alertIds };
  }

  const getAlerts = ({ session, alertIds }: Opened): Promise<Alert[]> =>
    Promise.all(alertIds.map((alertId) => ask(session, 'getAlert', { params: { alertId } })));

  async function pageOf(token: string, opened: Opened): Promise<string> {
    const { link, session } = opened;
    const { organizationId, organizationName } = session;
    const alerts = await getAlerts(opened);
    const devices = await shownAssets.list(
      organizationId,
      alerts.map(({ assetId }) => assetId),
    );
    const outage = await start.findOutage(organizationId);
    const shown = { token, organizationName, address: link.address, outage };
    const [alert] = alerts;
    if (link.kind === 'message' || !alert)
      return layout(
        { title: `${alerts.length} alerts`, session: null },
        alertsLinkHtml(alerts, { ...shown, devices }),
      );
    const [next, where] = await Promise.all([findNext(session, alert), findWhere(session, alert)]);
    const device = devices.get(alert.assetId);
    const assetName = device?.name ?? alert.serialNumber;
    return layout(
      { title: assetName, session: null },
      alertLinkHtml(alert, { ...shown, ...where, assetName, layout: device, next, now: now() }),
    );
  }

  async function findNext(session: Session, alert: Alert): Promise<Notified['next']> {
    const [notifications, channels, escalations] = await Promise.all([
      alertNotifications.listOpenings(session.organizationId, [alert.id]),
      listChannels(ask, session),
      ask(session, 'listEscalations', { query: { limit: String(POLICIES_MAX) } }),
    ]);
    return toNotified(alert, { notifications, steps: [], channels, escalations: escalations.items }).next;
  }

  /** Nothing of a device that was archived meanwhile. */
  async function findWhere(session: Session, { assetId }: Alert) {
    const asset = await ask(session, 'getAsset', { params: { assetId } }).catch(() => null);
    const groupId = asset?.groupId;
    const group = groupId ? await ask(session, 'getGroup', { params: { groupId } }).catch(() => null) : null;
    return { place: asset ? placeOf(asset) : '', latest: asset?.latest ?? [], group: group?.name ?? null };
  }

  async function acknowledge(opened: Opened, isChosen: (alertId: string) => boolean): Promise<void> {
    const chosen = { ...opened, alertIds: opened.alertIds.filter(isChosen) };
    const body = { status: 'acknowledged' };
    for (const { id: alertId, status } of await getAlerts(chosen)) {
      if (status !== 'new') continue;
      // The alert may end while its page is open, which then shows that.
      await deps
        .call(toCaller(opened.session), 'acknowledgeAlert', { params: { alertId }, body })
        .catch(ignoreConflict);
    }
  }

  const dead = () => ({
    page: layout({ title: 'A link that does not work', session: null }, deadAlertLinkHtml),
    status: 404,
  });

  return (['alert', 'message'] as const).flatMap((kind) => {
    const path = ALERT_LINK_PATHS[kind];
    return [
      {
        method: 'GET',
        path,
        role: null,
        holdsSecret: true,
        async handle({ query, address: client }) {
          const token = query.get('token') ?? '';
          const opened = await open(kind, token, client);
          return opened ? { page: await pageOf(token, opened) } : dead();
        },
      },
      {
        method: 'POST',
        path,
        role: null,
        holdsSecret: true,
        async handle({ form, address: client }) {
          const token = form.get('token') ?? '';
          const opened = await open(kind, token, client);
          if (!opened) return dead();
          const ticked = new Set(form.getAll('alertId'));
          await acknowledge(opened, (id) => kind === 'alert' || ticked.has(id));
          return { location: `${path}?token=${token}` };
        },
      },
    ] satisfies Array<OpenPageRoute<Session>>;
  });
}

type Alert = Answers['getAlert'];

interface Opened {
  link: WorkingLink;
  session: Session;
  alertIds: string[];
}

/** The recipient of the mail, who signs in nowhere; the audit trail shows this name. */
const toSession = (
  { organizationId, channelId, address }: WorkingLink,
  organizationName: string,
): Session => ({
  organizationId,
  id: channelId,
  organizationName,
  name: toMailReaderName(address),
  role: 'write',
  keyId: null,
});
