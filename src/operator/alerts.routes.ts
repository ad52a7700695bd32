import { POLICIES_MAX } from '../escalations/escalation-policy.ts';
import type { MutesRepository } from '../mutes/mutes.repository.ts';
import { ignoreConflict, invalid } from '../process/errors.ts';
import { alertHtml } from './alert-html.ts';
import type { AlertNotificationsRepository } from './alert-notifications.repository.ts';
import { alertsHtml, MAINTENANCE_PATH } from './alerts-html.ts';
import type { Answers } from './answers.ts';
import type { ListChoices } from './form-layout.ts';
import { maintenanceHtml } from './maintenance-html.ts';
import { given, leadBack, type OperatorPage, type PageDeps, type ReadTyped, toOwnPath } from './page-deps.ts';
import { roundedDown } from './page-fingerprint.ts';
import { toWords } from './parts.ts';
import { OPERATOR_PATH, type Session } from './session.ts';
import type { ShownAssetsRepository } from './shown-assets.repository.ts';
import { findNextRecipients, listChannels } from './shown-channels.ts';
import type { ShownGroupsRepository } from './shown-groups.repository.ts';
import type { StartRepository } from './start.repository.ts';
import { toNotified } from './start.ts';
import { troublesOf } from './step-outcomes.ts';
import { ACKNOWLEDGE_PATH } from './ticked-alerts-html.ts';

const path = `${OPERATOR_PATH}/alerts`;
const GROUP_LOOKS = { groupId: { choices: 'groups' } } as const;
const COUNTED = ['new', 'acknowledged'];
const MUTES_SHOWN = 200;
/** As many as a page lists. */
const TICKED_MAX = 100;

export interface AlertsPageDeps extends PageDeps {
  listChoices: ListChoices;
  readTyped: ReadTyped;
  mutes: Pick<MutesRepository, 'listCurrent'>;
  listGroupNames: ShownGroupsRepository['listByIds'];
  shownAssets: ShownAssetsRepository;
  alertNotifications: AlertNotificationsRepository;
  start: Pick<StartRepository, 'findOutage'>;
  /** Draws the page at the address, with what was typed on it. */
  draw(session: Session, url: string, form: URLSearchParams): Promise<string>;
}

export function alertsRoutes(deps: AlertsPageDeps): OperatorPage[] {
  const { ask, showPage, linksFor, now, shownAssets, alertNotifications, start, listChoices } = deps;
  const { readTyped, mutes, listGroupNames, draw } = deps;

  /** By channels of their own accord, and by the steps of the escalation. */
  async function findNotified(session: Session, alert: Answers['getAlert']) {
    const { organizationId } = session;
    const escalated = alert.history.filter(({ action }) => action === 'escalated');
    const [first, last] = [escalated[0], escalated.at(-1)].map((entry) => entry && new Date(entry.at));
    const [notifications, channels, escalations, messages] = await Promise.all([
      alertNotifications.listOpenings(organizationId, [alert.id]),
      listChannels(ask, session),
      ask(session, 'listEscalations', { query: { limit: String(POLICIES_MAX) } }),
      first && last
        ? alertNotifications.listOfSteps({ organizationId, alertId: alert.id }, { first, last })
        : [],
    ]);
    const steps = escalated.map(({ comment }) => ({ alertId: alert.id, comment: comment ?? '' }));
    const known = { notifications, steps, channels, escalations: escalations.items };
    return {
      notified: toNotified(alert, known).notified,
      troublesOf: (entry: Answers['getAlert']['history'][number]) =>
        entry.action === 'escalated' ? troublesOf(entry, messages, channels) : [],
    };
  }

  const list = (session: Session, { status, ...others }: Record<string, string>) =>
    ask(session, 'listAlerts', {
      query: given({ ...others, status: status !== 'all' && status, limit: '50' }),
    });

  /** With the other filters; the list has counted its own already. */
  async function countByStatus(
    session: Session,
    { status, cursor, ...others }: Record<string, string>,
    listed: number,
  ): Promise<Record<string, number>> {
    const counts = await Promise.all(
      COUNTED.map(async (each) => {
        if (each === status) return [each, listed];
        const query = { ...others, status: each, limit: '1' };
        return [each, (await ask(session, 'listAlerts', { query })).totalItems];
      }),
    );
    return Object.fromEntries(counts);
  }

  return [
    showPage({ path: MAINTENANCE_PATH, section: 'Alerts', isLive: true }, async (session) => {
      const { organizationId } = session;
      const current = await mutes.listCurrent(organizationId, MUTES_SHOWN);
      const [devices, groups] = await Promise.all([
        shownAssets.list(
          organizationId,
          current.flatMap(({ assetId }) => assetId ?? []),
        ),
        listGroupNames(
          organizationId,
          current.flatMap(({ groupId }) => groupId ?? []),
        ),
      ]);
      const content = maintenanceHtml({
        mutes: current,
        devices,
        groups,
        now: now(),
        link: linksFor(session),
      });
      return { title: 'Maintenance', content };
    }),
    showPage({ path, section: 'Alerts', isLive: true }, async (session, { query, form }) => {
      const { values, fault } = await readTyped(session, { form: query, fields: [], looks: GROUP_LOOKS });
      if (fault) throw fault;
      let filter = given({
        status: query.get('status') ?? 'new',
        type: query.get('type'),
        severity: query.get('severity'),
        late: query.get('late'),
        assetId: query.get('assetId'),
        groupId: typeof values.groupId === 'string' ? values.groupId : query.get('groupId'),
        cursor: query.get('cursor'),
      });
      let alerts = await list(session, filter);
      const counts = await countByStatus(session, filter, alerts.totalItems);
      // A link to open alerts leads to a list that has some: acknowledged ones are open as well.
      if (!query.has('status') && counts.new === 0 && counts.acknowledged !== 0) {
        filter = { ...filter, status: 'acknowledged' };
        alerts = await list(session, filter);
      }
      const [devices, { groupId: groups = [] }] = await Promise.all([
        shownAssets.list(
          session.organizationId,
          alerts.items.map(({ assetId }) => assetId),
        ),
        listChoices(session, { looks: GROUP_LOOKS }, filter),
      ]);
      const content = alertsHtml({
        alerts,
        counts,
        groups,
        devices,
        filter,
        note: form.get('comment'),
        mayChange: session.role !== 'read',
      });
      return { title: 'Alerts', content };
    }),
    showPage({ path: `${path}/{alertId}`, section: 'Alerts', isLive: true }, async (session, { params }) => {
      const alert = await ask(session, 'getAlert', { params });
      const { organizationId } = session;
      const [next, device, devices, outage, notified] = await Promise.all([
        findNextRecipients(ask, session, alert),
        ask(session, 'getAsset', { params: { assetId: alert.assetId } }).catch(() => null),
        shownAssets.list(organizationId, [alert.assetId]),
        start.findOutage(organizationId),
        findNotified(session, alert),
      ]);
      const shown = devices.get(alert.assetId);
      const assetName = shown?.name ?? alert.serialNumber;
      const content = alertHtml(alert, {
        assetName,
        layout: shown,
        device,
        outage,
        next,
        ...notified,
        now: roundedDown(now()),
        link: linksFor(session),
      });
      return { title: `${assetName}, ${toWords(alert.type)}`, content };
    }),
    // The list stands at this address where none was ticked.
    leadBack(ACKNOWLEDGE_PATH, () => path),
    {
      // Several alerts by one form: each by the operation of the API, with the note as its comment.
      method: 'POST',
      path: ACKNOWLEDGE_PATH,
      role: 'write',
      async handle({ visitor: session, form }) {
        const alertIds = [...new Set(form.getAll('alertId'))];
        const next = toOwnPath(form.get('return')) ?? path;
        const toNext = (done: string) => `${next}${next.includes('?') ? '&' : '?'}done=${done}`;
        if (alertIds.length === 0)
          return { page: await draw(session, toNext('tickFirst'), form), status: 400 };
        if (alertIds.length > TICKED_MAX) throw invalid(`Tick at most ${TICKED_MAX} alerts`);
        const body = { status: 'acknowledged', ...given({ comment: form.get('comment')?.trim() }) };
        // An alert that cannot be found is refused before another one is acknowledged.
        for (const alertId of alertIds) await ask(session, 'getAlert', { params: { alertId } });
        // An alert that has ended meanwhile needs no acknowledgement.
        for (const alertId of alertIds) {
          await ask(session, 'acknowledgeAlert', { params: { alertId }, body }).catch(ignoreConflict);
        }
        return { location: toNext('acknowledgeTicked') };
      },
    },
  ];
}
