import type { Readable } from 'node:stream';
import type { AlertView } from '../alerts/alert.ts';
import type { CallOperation } from '../http/operations.ts';
import { invalid, notFound } from '../process/errors.ts';
import type { Answers } from './answers.ts';
import {
  type BucketView,
  boundsOf,
  CURVE_SPANS,
  type CurveSpan,
  gapsOf,
  isBucket,
  toCurveSettings,
  toCurves,
  withGaps,
} from './curve.ts';
import type { DeviceContactsRepository } from './device-contacts.repository.ts';
import { deviceHtml, statisticsHtml } from './device-html.ts';
import type { DeviceJobsRepository } from './device-jobs.repository.ts';
import { MUTES } from './mute-html.ts';
import type { OperatorPage, PageDeps } from './page-deps.ts';
import { OPERATOR_PATH, type Session, toCaller } from './session.ts';

export interface DevicesPageDeps extends PageDeps {
  call: CallOperation;
  deviceJobs: DeviceJobsRepository;
  deviceContacts: DeviceContactsRepository;
}

const path = `${OPERATOR_PATH}/devices/{assetId}`;
const PAGES_MAX = 20;
const JOBS_SHOWN = 10;
/** Of which the curve marks those that fall into its span. */
const CHANGES_MAX = 100;
const PDF = 'application/pdf';
const HOUR_MS = 3_600_000;

export function devicesRoutes(deps: DevicesPageDeps): OperatorPage[] {
  const { ask, call, layout, now, deviceJobs, deviceContacts } = deps;

  const spanUntilNow = ({ spanMs }: CurveSpan) => {
    const to = now();
    return { from: new Date(to.getTime() - spanMs).toISOString(), to: to.toISOString() };
  };

  async function listBuckets(
    session: Session,
    assetId: string,
    span: { from: string; to: string; resolution: string },
  ): Promise<BucketView[]> {
    const query = { ...span, limit: '500' };
    const buckets: BucketView[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < PAGES_MAX; page++) {
      const found: Answers['listMeasurements'] = await ask(session, 'listMeasurements', {
        params: { assetId },
        query: cursor === null ? query : { ...query, cursor },
      });
      buckets.push(...found.items.filter(isBucket));
      cursor = found.nextCursor;
      if (cursor === null) break;
    }
    return buckets;
  }

  const listAlerts = async (session: Session, assetId: string, limit: string): Promise<AlertView[]> =>
    (await ask(session, 'listAlerts', { query: { assetId, limit } })).items;

  return [
    {
      method: 'GET',
      path,
      role: 'read',
      isLive: true,
      async handle({ visitor: session, params, query, url }) {
        const { assetId = '' } = params;
        const device = await ask(session, 'getAsset', { params });
        const mayChange = session.role !== 'read';
        const [config, alerts, jobs, contact, { profiles }] = await Promise.all([
          ask(session, 'getDeviceConfig', { params: { serial: device.serialNumber } }),
          listAlerts(session, assetId, '10'),
          deviceJobs.list(session.organizationId, assetId, JOBS_SHOWN),
          deviceContacts.find(session.organizationId, assetId),
          ask(session, 'listProfiles'),
        ]);
        const span = spanName(query.get('span'));
        const content = deviceHtml({
          device,
          config,
          alerts,
          jobs,
          contact,
          profiles,
          span,
          mayChange,
          now: now(),
        });
        const title = device.name;
        return { page: layout({ title, session, section: 'Fleet', watch: url, withCurve: true }, content) };
      },
    },
    {
      method: 'POST',
      path: `${path}/withdraw`,
      role: 'write',
      async handle({ visitor: session, params }) {
        const { id, serialNumber } = await ask(session, 'getAsset', { params });
        await ask(session, 'withdrawDeviceConfig', { params: { serial: serialNumber } });
        return { location: `${OPERATOR_PATH}/devices/${id}` };
      },
    },
    {
      method: 'POST',
      path: `${path}/mute`,
      role: 'write',
      async handle({ visitor: session, params, form }) {
        const { id, groupId } = await ask(session, 'getAsset', { params });
        const hours = form.get('hours') ?? '';
        if (!MUTES.includes(hours)) throw invalid('hours must be one of the choices');
        const until = new Date(now().getTime() + Number(hours) * HOUR_MS).toISOString();
        const body = { until, reason: form.get('reason') ?? '' };
        if (form.get('of') === 'group' && groupId !== null)
          await ask(session, 'muteGroup', { params: { groupId }, body });
        else await ask(session, 'muteAsset', { params, body });
        return { location: `${OPERATOR_PATH}/devices/${id}` };
      },
    },
    {
      method: 'POST',
      path: `${path}/unmute`,
      role: 'write',
      async handle({ visitor: session, params }) {
        await ask(session, 'unmuteAsset', { params });
        return { location: `${OPERATOR_PATH}/devices/${params.assetId}` };
      },
    },
    {
      method: 'GET',
      path: `${path}/curve`,
      role: 'read',
      async handle({ visitor: session, params, query }) {
        const { assetId = '' } = params;
        const span = toSpan(query.get('span'));
        const { from, to } = spanUntilNow(span);
        const [buckets, settings, alerts, jobs] = await Promise.all([
          listBuckets(session, assetId, { from, to, resolution: span.resolution }),
          ask(session, 'listSettings', { params, query: { from, to, limit: '500' } }),
          listAlerts(session, assetId, '100'),
          deviceJobs.list(session.organizationId, assetId, CHANGES_MAX),
        ]);
        const startS = seconds(from);
        const endS = seconds(to);
        const changes = jobs
          .flatMap(({ confirmedAt, profileSlug }) =>
            confirmedAt ? [{ at: seconds(confirmedAt.toISOString()), profile: profileSlug }] : [],
          )
          .filter(({ at }) => at >= startS && at <= endS);
        const inForce = toCurveSettings(settings.items);
        const gapOptions = { settings: inForce, bucketS: span.bucketMs / 1000, endS };
        const curves = toCurves(buckets).map((curve) => {
          const gaps = gapsOf(curve.times, gapOptions);
          return {
            ...curve,
            ...withGaps(curve, gaps),
            gaps,
            bounds: boundsOf(inForce, curve, endS),
            alerts: alerts.filter((alert) => isOf(alert, curve)).map(toBreach),
          };
        });
        return { json: { from: startS, to: endS, curves, changes } };
      },
    },
    {
      method: 'GET',
      path: `${path}/statistics`,
      role: 'read',
      async handle({ visitor: session, params, query }) {
        const span = spanName(query.get('span'));
        const [device, statistics] = await Promise.all([
          ask(session, 'getAsset', { params }),
          ask(session, 'getStatistics', { params, query: spanUntilNow(toSpan(span)) }),
        ]);
        const content = statisticsHtml({ device, statistics, span });
        return { page: layout({ title: 'Statistics', session, section: 'Fleet' }, content) };
      },
    },
    {
      method: 'GET',
      path: `${path}/statistics.pdf`,
      role: 'read',
      async handle({ visitor: session, params, query }) {
        const input = { params, query: spanUntilNow(toSpan(query.get('span'))), accept: PDF };
        const { body, headers = {} } = await call(toCaller(session), 'getStatistics', input);
        return { stream: body as Readable, headers };
      },
    },
  ];
}

const spanName = (name: string | null): string =>
  name !== null && Object.hasOwn(CURVE_SPANS, name) ? name : 'day';

function toSpan(name: string | null): CurveSpan {
  const span = CURVE_SPANS[spanName(name)];
  if (!span) throw notFound('There is no such span');
  return span;
}

const seconds = (iso: string) => Date.parse(iso) / 1000;

const isOf = ({ type, details }: AlertView, { channel }: { channel: number }) =>
  (type === 'high_temp' || type === 'low_temp') && 'channel' in details && details.channel === channel;

const toBreach = ({ status, timestamp, updatedAt }: AlertView) => ({
  from: seconds(timestamp),
  /** Null: still open. */
  to: status === 'resolved' ? seconds(updatedAt) : null,
});
