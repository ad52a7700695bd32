import type { ListedAssetView } from '../assets/asset.ts';
import { listedAssetView } from '../assets/asset.ts';
import type { AssetOrderRepository } from '../assets/asset-order.repository.ts';
import { ASSET_ORDERS, type AssetOrder, beginningOf, parseCursor, toCursor } from '../assets/asset-order.ts';
import type { RecentHoursRepository } from '../measurements/recent-hours.repository.ts';
import { invalid } from '../process/errors.ts';
import type { Answers } from './answers.ts';
import { byImportance } from './curve.ts';
import type { ListedDevice } from './devices-table.ts';
import { type FleetFilter, fleetHtml } from './fleet-html.ts';
import { given, type OperatorPage, type PageDeps } from './page-deps.ts';
import type { Session } from './session.ts';
import { OPERATOR_PATH } from './session.ts';

const DEVICES_PER_PAGE = 25;
const OVERDUE_MAX = '10';
const STEP_MS = 5 * 60_000;
const DAY_MS = 86_400_000;

export interface FleetPageDeps extends PageDeps {
  listOrdered: AssetOrderRepository['list'];
  listRecentHours: RecentHoursRepository['list'];
}

type DevicePage = Pick<Answers['listAssets'], 'items' | 'nextCursor'>;

export function fleetRoutes({
  ask,
  layout,
  now,
  listOrdered,
  listRecentHours,
}: FleetPageDeps): OperatorPage[] {
  /** Adds the last day of the most important channel. */
  async function withCurves(session: Session, devices: readonly ListedAssetView[]): Promise<ListedDevice[]> {
    const from = new Date(roundedDown(now()).getTime() - DAY_MS);
    const { organizationId } = session;
    const channels = devices.flatMap(({ id: assetId, latest, lastReadingAt }) => {
      const [first] = [...latest].sort(byImportance);
      return first && (lastReadingAt ?? '') >= from.toISOString()
        ? [{ organizationId, assetId, channel: first.channel }]
        : [];
    });
    const hours = await listRecentHours(channels, from);
    return devices.map((device) => ({ device, hours: hours.get(device.id) ?? [] }));
  }

  async function listInOrder(session: Session, order: AssetOrder, cursor?: string): Promise<DevicePage> {
    const after = cursor === undefined ? beginningOf(order) : parseCursor(cursor, order);
    if (!after) throw invalid('cursor must be that of another page of this list');
    const page = { after, limit: DEVICES_PER_PAGE + 1 };
    const found = await listOrdered(session.organizationId, order, page);
    const items = found.slice(0, DEVICES_PER_PAGE);
    const last = items.at(-1);
    const nextCursor = found.length > DEVICES_PER_PAGE && last ? toCursor(last) : null;
    return { items: items.map(({ key, ...asset }) => listedAssetView(asset)), nextCursor };
  }

  const listFiltered = (session: Session, filter: FleetFilter) =>
    ask(session, 'listAssets', { query: { ...given(filter), limit: String(DEVICES_PER_PAGE) } });

  return [
    {
      method: 'GET',
      path: OPERATOR_PATH,
      role: 'read',
      isLive: true,
      async handle({ visitor: session, query, url }) {
        const filter = toFilter(query);
        const order = toOrder(query, filter);
        const isFirst = order === null && Object.keys(filter).length === 0;
        const [counts, page, overdue, { profiles }] = await Promise.all([
          ask(session, 'getFleet'),
          order === null ? listFiltered(session, filter) : listInOrder(session, order, filter.cursor),
          isFirst ? ask(session, 'listAssets', { query: { status: 'offline', limit: OVERDUE_MAX } }) : null,
          ask(session, 'listProfiles'),
        ]);
        const devices = await withCurves(session, [...page.items, ...(overdue?.items ?? [])]);
        const content = fleetHtml({
          counts,
          page,
          listed: devices.slice(0, page.items.length),
          overdue: devices.slice(page.items.length),
          filter,
          order,
          profiles,
          mayChange: session.role !== 'read',
          now: roundedDown(now()),
        });
        return { page: layout({ title: 'Fleet', session, section: 'Fleet', watch: url }, content) };
      },
    },
  ];
}

/** Rounds down, so that an unchanged page looks the same again. */
const roundedDown = (at: Date): Date => new Date(Math.floor(at.getTime() / STEP_MS) * STEP_MS);

/** Null with a filter, because no index serves a filter and an order together. */
function toOrder(query: URLSearchParams, { cursor, ...filter }: FleetFilter): AssetOrder | null {
  const name = query.get('order');
  const order = ASSET_ORDERS.find((each) => each === name);
  return order !== undefined && Object.keys(filter).length === 0 ? order : null;
}

const FILTERS = ['q', 'status', 'syncStatus', 'batteryStatus', 'cursor'] as const;

const toFilter = (query: URLSearchParams): FleetFilter =>
  given(Object.fromEntries(FILTERS.map((name) => [name, query.get(name)?.trim()])));
