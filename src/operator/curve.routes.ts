/** The data of a device's curve, and its readings as a table. */
import { ALERT_NAMES } from '../alerts/alert.ts';
import { RESOLUTIONS, type Resolution } from '../measurements/buckets.ts';
import type { MutesRepository } from '../mutes/mutes.repository.ts';
import { UUID } from '../process/uuid.ts';
import type { Answers } from './answers.ts';
import {
  type AlertMark,
  type BucketView,
  curveView,
  type ReadingView,
  toCurveSettings,
  toCurves,
} from './curve.ts';
import type { CurveMarksRepository, MarkedAlert } from './curve-marks.repository.ts';
import { type CurveSpan, isoSpan, readSpan, resolutionFor } from './curve-span.ts';
import type { OperatorPage, PageDeps } from './page-deps.ts';
import { asAttachment, devicesInFile, toReadingsFile } from './readings-file.ts';
import { OPERATOR_PATH, type Session } from './session.ts';
import type { ShownAssetsRepository } from './shown-assets.repository.ts';
import type { ShownJobsRepository } from './shown-jobs.repository.ts';

export interface CurveRoutesDeps extends Pick<PageDeps, 'ask' | 'download' | 'now'> {
  shownJobs: ShownJobsRepository;
  curveMarks: CurveMarksRepository;
  mutes: Pick<MutesRepository, 'listSpans'>;
  shownAssets: Pick<ShownAssetsRepository, 'list'>;
}

type Point = ReadingView | BucketView;
/** Holds the channels of a logger for the most points of each. */
const BUCKETS_PER_PAGE = 5_000;
const READINGS_PER_PAGE = 500;
const PAGES_MAX = 20;
/** Changes that are read; the curve marks the ones within its span. */
const CHANGES_MAX = 100;

const path = `${OPERATOR_PATH}/devices/{assetId}`;

export function curveRoutes(deps: CurveRoutesDeps): OperatorPage[] {
  const { ask, download, now, shownJobs, curveMarks, mutes, shownAssets } = deps;

  /** Null when there are more readings than a curve can show. */
  async function listPoints(
    session: Session,
    assetId: string,
    span: CurveSpan,
    resolution: Resolution | null,
  ): Promise<Point[] | null> {
    const limit = String(resolution === null ? READINGS_PER_PAGE : BUCKETS_PER_PAGE);
    const query = { ...isoSpan(span), limit, ...(resolution && { resolution }) };
    const points: Point[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < PAGES_MAX; page++) {
      const found: Answers['listMeasurements'] = await ask(session, 'listMeasurements', {
        params: { assetId },
        query: cursor === null ? query : { ...query, cursor },
      });
      points.push(...found.items);
      cursor = found.nextCursor;
      if (cursor === null) return points;
    }
    return null;
  }

  async function readCurves(session: Session, assetId: string, span: CurveSpan) {
    const wanted = resolutionFor(span);
    const points = await listPoints(session, assetId, span, wanted);
    if (points !== null)
      return { curves: toCurves(points), bucketS: wanted === null ? 0 : secondsOf(wanted) };
    const coarser = (await listPoints(session, assetId, span, '5m')) ?? [];
    return { curves: toCurves(coarser), bucketS: secondsOf('5m') };
  }

  async function readAlerts(session: Session, assetId: string, span: CurveSpan) {
    const { organizationId } = session;
    const alerts = await curveMarks.listAlerts(organizationId, assetId, span);
    const ids = alerts.map(({ id }) => id);
    return { alerts, comments: await curveMarks.listComments(organizationId, ids, span) };
  }

  return [
    {
      method: 'GET',
      path: `${path}/curve`,
      role: 'read',
      async handle({ visitor: session, params, query }) {
        const { assetId = '' } = params;
        const { organizationId } = session;
        const at = now();
        const span = readSpan(query, at);
        // Refuses an unknown device before anything else is read.
        const settings = await ask(session, 'listSettings', {
          params,
          query: { ...isoSpan(span), limit: '500' },
        });
        const [curves, { alerts, comments }, jobs, muted] = await Promise.all([
          readCurves(session, assetId, span),
          readAlerts(session, assetId, span),
          shownJobs.listOfDevice(organizationId, assetId, CHANGES_MAX),
          mutes.listSpans(organizationId, assetId, span),
        ]);
        const json = curveView({
          ...curves,
          from: seconds(span.from),
          to: seconds(span.to),
          knownUntil: Math.min(seconds(span.to), seconds(at)),
          settings: toCurveSettings(settings.items),
          alerts: alerts.map(toMark),
          changes: jobs.flatMap(({ confirmedAt, profileName }) =>
            confirmedAt && confirmedAt >= span.from && confirmedAt <= span.to
              ? [{ at: seconds(confirmedAt), profile: profileName }]
              : [],
          ),
          mutes: muted.map(({ from, to, reason }) => ({ from: seconds(from), to: seconds(to), reason })),
          notes: comments.map(({ at, by, comment, alertId }) => ({
            at: seconds(at),
            by: by?.name ?? null,
            text: comment,
            alertId,
          })),
        });
        return { json };
      },
    },
    {
      method: 'GET',
      path: `${path}/readings.csv`,
      role: 'read',
      async handle({ visitor: session, params: { assetId = '' }, query }) {
        const span = readSpan(query, now());
        const ids = [assetId, ...query.getAll('with')];
        // Before the stream begins, which nothing would close after a failure.
        const names = await shownAssets.list(
          session.organizationId,
          ids.filter((id) => UUID.test(id)),
        );
        const file = await download(session, 'exportMeasurements', {
          query: { assetIds: ids.join(), ...isoSpan(span) },
          accept: 'text/csv',
        });
        const what = devicesInFile(ids.flatMap((id) => names.get(id.toLowerCase()) ?? []));
        return { ...file, headers: { ...file.headers, ...asAttachment(toReadingsFile(what, span)) } };
      },
    },
  ];
}

const secondsOf = (resolution: Resolution): number => RESOLUTIONS[resolution] / 1000;
const seconds = (at: Date): number => at.getTime() / 1000;

const toMark = ({ id, type, details, startedAt, endedAt }: MarkedAlert): AlertMark => ({
  id,
  type,
  name: ALERT_NAMES[type],
  channel: 'channel' in details ? details.channel : null,
  from: seconds(startedAt),
  to: endedAt && seconds(endedAt),
});
