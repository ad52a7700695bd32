import { AWAITED_READ_MAX, hasEnded, type JobRef, type JobView } from '../config-jobs/config-job.ts';
import type { ConfigTargetsRepository } from '../config-jobs/config-targets.repository.ts';
import type { ProfilesRepository } from '../profiles/profiles.repository.ts';
import { toProgress } from './job-progress.ts';
import { CHANGED_READ_MAX, isStopped, mayHaveChanged, READ_UNASKED_MAX } from './job-undo-html.ts';
import { ALL_STATES, firstState, jobHtml, jobsHtml, profileNameOf } from './jobs-html.ts';
import { given, noticeOf, type OperatorPage, type PageDeps } from './page-deps.ts';
import { OPERATOR_PATH, type Session } from './session.ts';
import type { ShownAssetsRepository } from './shown-assets.repository.ts';
import type { ShownGroupsRepository } from './shown-groups.repository.ts';
import type { ChangedDevice, ShownJobsRepository } from './shown-jobs.repository.ts';
import { createShown } from './shown-reads.ts';

export interface JobsPageDeps extends PageDeps {
  /** The page of a job's run in the Temporal UI; null if its address is not configured. */
  runUrl(jobId: string): string | null;
  shownJobs: ShownJobsRepository;
  listAwaited: ConfigTargetsRepository['listAwaited'];
  listGroupNames: ShownGroupsRepository['listByIds'];
  listProfileNames: ProfilesRepository['listNames'];
  shownAssets: ShownAssetsRepository;
}

const saysBegun = (query: URLSearchParams): boolean => query.get('done') === 'applyProfile';

/** Changes of groups lead to the job that they have begun. */
function jobNoticeOf(query: URLSearchParams, job: JobView): string | null | undefined {
  if (hasEnded(job.status) && saysBegun(query)) return null;
  const notice = noticeOf(query);
  const isOfGroup = BEGINNING.includes(query.get('done') ?? '');
  return isOfGroup
    ? `${notice} A job has begun: it offers the profile to each member that does not run it.`
    : notice;
}

const BEGINNING = ['updateGroup', 'addGroupMembers'];

const path = `${OPERATOR_PATH}/jobs`;

export function jobsRoutes(deps: JobsPageDeps): OperatorPage[] {
  const { ask, showPage, linksFor, now, runUrl, shownJobs, listAwaited, listGroupNames } = deps;
  const { listProfileNames, shownAssets } = deps;

  async function progressOf({ organizationId }: Session, job: JobView) {
    const ref = { organizationId, jobId: job.id };
    const [stages, awaited] = await Promise.all([
      shownJobs.findStages(ref),
      hasEnded(job.status) ? [] : listAwaited(ref, AWAITED_READ_MAX),
    ]);
    const at = now();
    const progress = toProgress(awaited, { now: at, deadlineAt: new Date(job.deadlineAt) });
    return { stages, progress, now: at };
  }

  const changedBy = createShown(now, async (key) => {
    const { devices, ...ref }: JobRef & { devices: number } = JSON.parse(key);
    return { counts: await shownJobs.listChanged(ref, CHANGED_READ_MAX), devices };
  });

  /**
   * Devices that an ended job has changed. Null: not read before somebody asks, because all devices of a large job that
   * ran to its end may have later changes, and would be looked through at each drawing.
   */
  async function listChanged(
    { organizationId }: Session,
    job: JobView,
    isAsked: boolean,
  ): Promise<ChangedDevice[] | null> {
    if (!mayHaveChanged(job)) return [];
    if (!isAsked && !isStopped(job) && job.counts.applied > READ_UNASKED_MAX) return null;
    const key = { organizationId, jobId: job.id, devices: job.counts.applied };
    return (await changedBy(JSON.stringify(key))).counts;
  }

  /** By id; a deleted group has none. */
  async function namesOfGroups({ organizationId }: Session, jobs: JobView[]): Promise<Map<string, string>> {
    const ids = jobs.flatMap(({ origin }) => origin?.groupId ?? []);
    const groups = ids.length === 0 ? [] : await listGroupNames(organizationId, ids);
    return new Map(groups.map(({ value, label }) => [value, label]));
  }

  const namesOfProfiles = ({ organizationId }: Session, used: Array<{ profileSlug: string | null }>) =>
    listProfileNames(
      organizationId,
      used.flatMap(({ profileSlug }) => profileSlug ?? []),
    );

  return [
    showPage({ path, section: 'Jobs', isLive: true }, async (session, { query }) => {
      const filter = given({ status: query.get('status'), cursor: query.get('cursor') });
      const jobs = await ask(session, 'listConfigJobs', { query: { ...filter, limit: '25' } });
      const [groupNames, names] = await Promise.all([
        namesOfGroups(session, jobs.items),
        namesOfProfiles(session, jobs.items),
      ]);
      const content = jobsHtml({ jobs, groupNames, profileNames: names, filter, link: linksFor(session) });
      return { title: 'Jobs', content };
    }),
    showPage(
      { path: `${path}/{jobId}`, section: 'Jobs', isLive: true },
      async (session, { params, query }) => {
        const job = await ask(session, 'getConfigJob', { params });
        const filter = given({
          state: query.get('state') ?? firstState(job),
          cursor: query.get('cursor'),
        });
        const { state, ...others } = filter;
        const asked = state === ALL_STATES ? others : filter;
        const changed = await listChanged(session, job, query.has('changed'));
        const [targets, progress, groupNames, names] = await Promise.all([
          ask(session, 'listConfigJobTargets', { params, query: { ...asked, limit: '50' } }),
          progressOf(session, job),
          namesOfGroups(session, [job]),
          namesOfProfiles(session, [job, ...(changed ?? [])]),
        ]);
        const shown = [...progress.progress.latest, ...targets.items].map(({ assetId }) => assetId);
        const content = jobHtml({
          ...progress,
          devices: await shownAssets.list(session.organizationId, shown),
          groupNames,
          profileNames: names,
          changed,
          job,
          targets,
          filter,
          runUrl: runUrl(job.id),
          mayChange: session.role !== 'read',
        });
        const notice = jobNoticeOf(query, job);
        const title = `Job of ${profileNameOf(job.profileSlug, names)}`;
        return { title, content, notice };
      },
    ),
  ];
}
