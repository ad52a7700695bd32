import { type ListedAssetView, listedAssetView } from '../assets/asset.ts';
import type { AssetOrderRepository } from '../assets/asset-order.repository.ts';
import { ASSET_ORDERS, type AssetOrder, beginningOf, parseCursor, toCursor } from '../assets/asset-order.ts';
import { pageOf } from '../http/route.ts';
import type { RecentHoursRepository } from '../measurements/recent-hours.repository.ts';
import { DAY_MS } from '../process/durations.ts';
import { invalid } from '../process/errors.ts';
import type { Answers } from './answers.ts';
import { WITHDRAW_PATH } from './apply-fields.ts';
import { WITHDRAWN_MAX, withdrawHtml } from './apply-html.ts';
import { sum } from './counts.ts';
import { byImportance } from './curve.ts';
import type { ListedDevice } from './devices-table.ts';
import type { CountFleet } from './fleet-counts.service.ts';
import { type FleetFilter, toAssetsQuery, toFleetFilter } from './fleet-filter.ts';
import { fleetHtml } from './fleet-html.ts';
import type { Values } from './form-fields.ts';
import type { ListChoices } from './form-layout.ts';
import { FORMS } from './forms.ts';
import { given, leadBack, type OperatorPage, type PageDeps, type ReadTyped, toOwnPath } from './page-deps.ts';
import { roundedDown } from './page-fingerprint.ts';
import type { PastDevicesRepository } from './past-devices.repository.ts';
import { OPERATOR_PATH, type Session } from './session.ts';
import type { ShownAssetsRepository } from './shown-assets.repository.ts';

const GROUP_LOOKS = { groupId: { choices: 'groups' } } as const;
const FLEET_PATH = `${OPERATOR_PATH}/fleet`;
const DEVICES_PER_PAGE = 25;
const PAST_SHOWN = 10;

export interface FleetPageDeps extends PageDeps {
  countFleet: CountFleet;
  listChoices: ListChoices;
  readTyped: ReadTyped;
  listOrdered: AssetOrderRepository['list'];
  listRecentHours: RecentHoursRepository['list'];
  shownAssets: ShownAssetsRepository;
  pastDevices: PastDevicesRepository;
}

/** The total is left out where it is the number of the fleet, or of the members of the group. */
type DevicePage = Pick<Answers['listAssets'], 'items' | 'nextCursor'> & { totalItems?: number };

const NO_DEVICES: DevicePage = { items: [], nextCursor: null };

export function fleetRoutes(deps: FleetPageDeps): OperatorPage[] {
  const { ask, showPage, linksFor, now, countFleet, listChoices, readTyped, listOrdered } = deps;
  const { layout, listRecentHours, shownAssets, pastDevices } = deps;

  /** Adds the last day of the most important channel, and the channels in breach. */
  async function withCurves(session: Session, devices: readonly ListedAssetView[]): Promise<ListedDevice[]> {
    const from = new Date(roundedDown(now()).getTime() - DAY_MS);
    const { organizationId } = session;
    const channels = devices.flatMap(({ id: assetId, latest, lastReadingAt }) => {
      const [first] = [...latest].sort(byImportance);
      return first && (lastReadingAt ?? '') >= from.toISOString()
        ? [{ organizationId, assetId, channel: first.channel }]
        : [];
    });
    const alerted = devices.filter(({ openAlerts }) => openAlerts > 0).map(({ id }) => id);
    const [hours, breaches, withoutProfile] = await Promise.all([
      listRecentHours(channels, from),
      shownAssets.listBreaches(organizationId, alerted),
      shownAssets.listWithoutProfile(
        organizationId,
        devices.map(({ id }) => id),
      ),
    ]);
    return devices.map((device) => ({
      device,
      hours: hours.get(device.id) ?? [],
      breached: breaches.get(device.id) ?? [],
      hasProfile: !withoutProfile.has(device.id),
    }));
  }

  async function listInOrder(
    session: Session,
    order: AssetOrder,
    { cursor, groupId }: FleetFilter,
  ): Promise<DevicePage> {
    const after = cursor === undefined ? beginningOf(order) : parseCursor(cursor, order);
    if (!after) throw invalid('cursor must be that of another page of this list');
    const page = { after, limit: DEVICES_PER_PAGE + 1, groupId };
    const { organizationId } = session;
    const found = await listOrdered(organizationId, order, page);
    return pageOf(found, DEVICES_PER_PAGE, toCursor, ({ key, ...asset }) => listedAssetView(asset));
  }

  /** A search that finds no device may mean an earlier logger, or an archived device. */
  async function findPast({ organizationId }: Session, { q }: FleetFilter, found: number) {
    if (q === undefined || found > 0) return null;
    const [archived, replaced] = await Promise.all([
      pastDevices.list(organizationId, { q, before: null, limit: PAST_SHOWN }),
      pastDevices.listReplaced(organizationId, q, PAST_SHOWN),
    ]);
    return { archived, replaced };
  }

  const listFiltered = (session: Session, filter: FleetFilter) =>
    ask(session, 'listAssets', { query: { ...toAssetsQuery(filter), limit: String(DEVICES_PER_PAGE) } });

  return [
    showPage({ path: FLEET_PATH, section: 'Fleet', isLive: true }, async (session, { query }) => {
      const { values, fault } = await readTyped(session, { form: query, fields: [], looks: GROUP_LOOKS });
      if (fault) throw fault;
      const filter = toFilter(query, values);
      const order = toOrder(query, filter);
      const [counts, listed, { profiles }, { groupId: groups = [] }] = await Promise.all([
        countFleet(session.organizationId, filter.groupId),
        order === null ? listFiltered(session, filter) : listInOrder(session, order, filter),
        ask(session, 'listProfiles'),
        listChoices(session, { looks: GROUP_LOOKS }, filter),
      ]);
      // Members of a deleted group have yet to leave it, and count no more.
      const page = sum(counts.status) === 0 ? NO_DEVICES : listed;
      const content = fleetHtml({
        counts,
        page,
        listed: await withCurves(session, page.items),
        filter,
        order,
        profiles,
        groups,
        past: await findPast(session, filter, page.items.length),
        link: linksFor(session),
        mayChange: session.role !== 'read',
        now: roundedDown(now()),
      });
      return { title: 'Fleet', content };
    }),
    leadBack(WITHDRAW_PATH, () => FLEET_PATH),
    {
      method: 'POST',
      path: WITHDRAW_PATH,
      role: 'write',
      async handle({ visitor: session, form }) {
        const serials = [...new Set(form.getAll('serialNumbers'))];
        const back = toOwnPath(form.get('return')) ?? FLEET_PATH;
        if (serials.length === 0) throw invalid('Tick the devices first');
        if (serials.length > WITHDRAWN_MAX) throw invalid(`Tick at most ${WITHDRAWN_MAX} devices`);
        // A device that cannot be found is refused before anything is withdrawn from another one.
        for (const serial of serials) await ask(session, 'getDeviceConfig', { params: { serial } });
        if (form.get('step') !== 'apply') {
          const { title, section } = FORMS.withdrawDeviceConfig;
          return { page: layout({ title, session, section }, withdrawHtml(serials, back)) };
        }
        for (const serial of serials) await ask(session, 'withdrawDeviceConfig', { params: { serial } });
        return { location: `${back}${back.includes('?') ? '&' : '?'}done=withdrawDeviceConfig` };
      },
    },
  ];
}

/** The most urgent first, unless another order is chosen. Null with a filter, because no index serves both. */
function toOrder(query: URLSearchParams, { cursor, groupId, ...filter }: FleetFilter): AssetOrder | null {
  if (Object.keys(filter).length > 0) return null;
  const name = query.get('order');
  const order = ASSET_ORDERS.find((each) => each === name);
  return groupId === undefined ? (order ?? 'urgency') : 'urgency';
}

const toFilter = (query: URLSearchParams, { groupId }: Values): FleetFilter =>
  given({
    ...toFleetFilter(query),
    ...(typeof groupId === 'string' && { groupId }),
    cursor: query.get('cursor'),
  });
