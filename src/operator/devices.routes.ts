import { NO_SUCH_ASSET } from '../assets/asset.ts';
import { AppError, notFound } from '../process/errors.ts';
import { UUID } from '../process/uuid.ts';
import { COMPARED_MAX } from '../statistics/comparison.ts';
import { ARCHIVED_PATH } from './archived-html.ts';
import type { CurvePanel } from './curve-html.ts';
import { isoSpan, readSpan } from './curve-span.ts';
import type { ReadDeviceHistory } from './device-history.service.ts';
import { deviceHistoryHtml } from './device-history-html.ts';
import { ALERTS_SHOWN, deviceHtml, statisticsHtml } from './device-html.ts';
import { given, noticeOf, type OperatorPage, type PageDeps } from './page-deps.ts';
import type { PastDevicesRepository } from './past-devices.repository.ts';
import { OPERATOR_PATH, type Session } from './session.ts';
import type { ShownAssetsRepository } from './shown-assets.repository.ts';
import type { ShownJobsRepository } from './shown-jobs.repository.ts';

export interface DevicesPageDeps extends PageDeps {
  shownJobs: ShownJobsRepository;
  shownAssets: ShownAssetsRepository;
  pastDevices: Pick<PastDevicesRepository, 'find'>;
  readHistory: ReadDeviceHistory;
  /** Certificates belong to a logger, and so to its serial number. */
  hasCertificate(organizationId: string, serialNumber: string): Promise<boolean>;
}

const path = `${OPERATOR_PATH}/devices/{assetId}`;
const JOBS_SHOWN = 10;
const MATCHES_SHOWN = 8;
const PDF = 'application/pdf';

export function devicesRoutes(deps: DevicesPageDeps): OperatorPage[] {
  const { ask, download, layout, showPage, linksFor, now, shownJobs, shownAssets } = deps;
  const { pastDevices, readHistory, hasCertificate } = deps;

  const spanOf = (query: URLSearchParams) => readSpan(query, now());

  /** The devices that the address compares with this one, as far as they exist. */
  async function listCompared(session: Session, assetId: string, query: URLSearchParams) {
    const ids = [...new Set(query.getAll('with'))].filter((id) => UUID.test(id) && id !== assetId);
    const found = await shownAssets.list(session.organizationId, ids);
    return ids
      .flatMap((id) => {
        const asset = found.get(id);
        return asset === undefined ? [] : [{ id, ...asset }];
      })
      .slice(0, COMPARED_MAX);
  }

  async function readPanel(
    session: Session,
    assetId: string,
    query: URLSearchParams,
  ): Promise<Omit<CurvePanel, 'device'>> {
    const compared = await listCompared(session, assetId, query);
    const find = (query.get('find') ?? '').trim();
    const span = spanOf(query);
    const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
    const typed = span.name === null ? span : { from, to };
    const isShown = ({ id }: { id: string }) => id === assetId || compared.some((each) => each.id === id);
    const listed =
      find === ''
        ? null
        : await ask(session, 'listAssets', {
            query: { q: find, limit: String(MATCHES_SHOWN + 1 + COMPARED_MAX) },
          });
    const found = listed?.items.filter((each) => !isShown(each)).slice(0, MATCHES_SHOWN) ?? null;
    return { span, typed, compared, found, find };
  }

  const findArchived = async ({ organizationId }: Session, assetId = '') =>
    UUID.test(assetId) ? pastDevices.find(organizationId, assetId) : null;

  /** A group that was deleted meanwhile has no name. */
  const findGroup = (session: Session, groupId: string | null) =>
    groupId === null ? null : ask(session, 'getGroup', { params: { groupId } }).catch(ignoreMissing);

  return [
    {
      method: 'GET',
      path,
      role: 'read',
      isLive: true,
      async handle({ visitor: session, params, query, url }) {
        const { assetId = '' } = params;
        const device = await ask(session, 'getAsset', { params }).catch(ignoreMissing);
        if (device === null && (await findArchived(session, assetId))) {
          const span = given({ from: query.get('from'), to: query.get('to') });
          const statistics = `${OPERATOR_PATH}/devices/${assetId}/statistics`;
          return {
            location: span.from
              ? `${statistics}?${new URLSearchParams(span)}`
              : `${ARCHIVED_PATH}/${assetId}`,
          };
        }
        if (device === null) throw notFound(NO_SUCH_ASSET);
        const mayChange = session.role !== 'read';
        const { organizationId } = session;
        const [config, alerts, jobs, layouts, contact, { profiles }, breaches, curve, group, certified] =
          await Promise.all([
            ask(session, 'getDeviceConfig', { params: { serial: device.serialNumber } }),
            ask(session, 'listAlerts', { query: { assetId, limit: String(ALERTS_SHOWN) } }),
            shownJobs.listOfDevice(session.organizationId, assetId, JOBS_SHOWN),
            shownAssets.list(organizationId, [assetId]),
            shownAssets.findContact(session.organizationId, assetId),
            ask(session, 'listProfiles'),
            shownAssets.listBreaches(session.organizationId, [assetId]),
            readPanel(session, assetId, query),
            findGroup(session, device.groupId),
            hasCertificate(organizationId, device.serialNumber),
          ]);
        const content = deviceHtml({
          device,
          group,
          hasCertificate: certified,
          config,
          alerts: alerts.items,
          breached: breaches.get(assetId) ?? [],
          jobs,
          layouts,
          contact,
          profiles,
          curve,
          mayChange,
          link: linksFor(session),
          now: now(),
        });
        const title = device.name;
        const notice = noticeOf(query);
        return {
          page: layout({ title, session, section: 'Fleet', watch: url, withCurve: true, notice }, content),
        };
      },
    },
    showPage({ path: `${path}/history`, section: 'Fleet', isLive: true }, async (session, { params }) => {
      const device = await ask(session, 'getAsset', { params });
      const { id, name, createdAt } = device;
      const recorded = { id, createdAt: new Date(createdAt) };
      const content = deviceHistoryHtml(device, await readHistory(session, recorded));
      return { title: `History of ${name}`, content };
    }),
    showPage({ path: `${path}/statistics`, section: 'Fleet' }, async (session, request) => {
      const { params, query, isAbandoned } = request;
      const span = spanOf(query);
      const [statistics, archived] = await Promise.all([
        ask(session, 'getStatistics', { params, query: isoSpan(span), isAbandoned }),
        findArchived(session, params.assetId),
      ]);
      const device = archived ?? (await ask(session, 'getAsset', { params }));
      const content = statisticsHtml({ device, isArchived: archived !== null, statistics, span });
      return { title: 'Statistics', content };
    }),
    {
      method: 'GET',
      path: `${path}/statistics.pdf`,
      role: 'read',
      async handle({ visitor: session, params, query, isAbandoned }) {
        const timezone = query.get('timezone') || 'UTC';
        const compared = await listCompared(session, params.assetId ?? '', query);
        const others = given({ with: compared.map(({ id }) => id).join() });
        const asked = { ...isoSpan(spanOf(query)), timezone, ...others };
        return download(session, 'getStatistics', { params, query: asked, accept: PDF, isAbandoned });
      },
    },
  ];
}

function ignoreMissing(error: unknown): null {
  if (error instanceof AppError && error.kind === 'not_found') return null;
  throw error;
}
