import type { DeviceView } from './answers.ts';
import { byImportance, CURVE_SPANS, isBucket } from './curve.ts';
import { type FleetFilter, fleetView, type ListedDevice } from './fleet-view.ts';
import { given, type OperatorPage, type PageDeps } from './page-deps.ts';
import type { Session } from './session.ts';
import { OPERATOR_PATH } from './session.ts';

const DEVICES_PER_PAGE = '25';
const OVERDUE_MAX = '10';
/** Curves that are read at the same time. */
const CURVES_AT_ONCE = 4;
const STEP_MS = 5 * 60_000;
const DAY_MS = CURVE_SPANS.day?.spanMs as number;

export function fleetRoutes({ ask, layout, now }: PageDeps): OperatorPage[] {
  /** Of the last day, of the channel that people look at first. */
  async function withCurve(session: Session, device: DeviceView): Promise<ListedDevice> {
    const from = new Date(roundedDown(now()).getTime() - DAY_MS).toISOString();
    const [first] = [...device.latest].sort(byImportance);
    if (!first || (device.lastReadingAt ?? '') < from) return { device, buckets: [] };
    const query = { resolution: '1h', from, channel: String(first.channel), limit: '50' };
    const { items } = await ask(session, 'listMeasurements', { params: { assetId: device.id }, query });
    return { device, buckets: items.filter(isBucket) };
  }

  async function withCurves(session: Session, devices: readonly DeviceView[]): Promise<ListedDevice[]> {
    const listed: ListedDevice[] = [];
    for (let at = 0; at < devices.length; at += CURVES_AT_ONCE) {
      const some = devices.slice(at, at + CURVES_AT_ONCE).map((device) => withCurve(session, device));
      listed.push(...(await Promise.all(some)));
    }
    return listed;
  }

  return [
    {
      method: 'GET',
      path: OPERATOR_PATH,
      role: 'read',
      isLive: true,
      async handle({ visitor: session, query, url }) {
        const filter = toFilter(query);
        const isFirst = Object.keys(filter).length === 0;
        const [counts, page, overdue] = await Promise.all([
          ask(session, 'getFleet'),
          ask(session, 'listAssets', { query: { ...filter, limit: DEVICES_PER_PAGE } }),
          isFirst ? ask(session, 'listAssets', { query: { status: 'offline', limit: OVERDUE_MAX } }) : null,
        ]);
        const listed = await withCurves(session, page.items);
        const late = overdue ? await withCurves(session, overdue.items) : [];
        const content = fleetView({ counts, page, listed, overdue: late, filter, now: roundedDown(now()) });
        return { page: layout({ title: 'Fleet', session, section: 'Fleet', watch: url }, content) };
      },
    },
  ];
}

/** So that a page on which nothing has changed looks the same again. */
const roundedDown = (at: Date): Date => new Date(Math.floor(at.getTime() / STEP_MS) * STEP_MS);

const FILTERS = ['q', 'status', 'syncStatus', 'batteryStatus', 'cursor'] as const;

const toFilter = (query: URLSearchParams): FleetFilter =>
  given(Object.fromEntries(FILTERS.map((name) => [name, query.get(name)?.trim()])));
