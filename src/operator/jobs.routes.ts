import { hasEnded, type JobView } from '../config-jobs/config-job.ts';
import type { JobProgressRepository } from './job-progress.repository.ts';
import { toProgress } from './job-progress.ts';
import { jobHtml, jobsHtml } from './jobs-html.ts';
import { given, noticeOf, type OperatorPage, type PageDeps } from './page-deps.ts';
import { OPERATOR_PATH, type Session } from './session.ts';

export interface JobsPageDeps extends PageDeps {
  /** The page of a job's run in the Temporal UI; null where no address of it is set. */
  runUrl(jobId: string): string | null;
  jobProgress: JobProgressRepository;
}

const path = `${OPERATOR_PATH}/jobs`;

export function jobsRoutes({
  ask,
  layout,
  linksFor,
  now,
  runUrl,
  jobProgress,
}: JobsPageDeps): OperatorPage[] {
  async function progressOf({ organizationId }: Session, job: JobView) {
    const ref = { organizationId, jobId: job.id };
    const [stages, awaited] = await Promise.all([
      jobProgress.findStages(ref),
      hasEnded(job.status) ? [] : jobProgress.listAwaited(ref, job.total),
    ]);
    const at = now();
    const progress = toProgress(awaited, { now: at, deadlineAt: new Date(job.deadlineAt) });
    const shown = progress.latest.map(({ assetId }) => assetId);
    const serialNumbers = await jobProgress.listSerialNumbers(organizationId, shown);
    return { stages, progress, serialNumbers, now: at };
  }

  return [
    {
      method: 'GET',
      path,
      role: 'read',
      isLive: true,
      async handle({ visitor: session, query, url }) {
        const filter = given({ status: query.get('status'), cursor: query.get('cursor') });
        const jobs = await ask(session, 'listConfigJobs', { query: { ...filter, limit: '25' } });
        const content = jobsHtml({ jobs, filter, link: linksFor(session) });
        return { page: layout({ title: 'Jobs', session, section: 'Jobs', watch: url }, content) };
      },
    },
    {
      method: 'GET',
      path: `${path}/{jobId}`,
      role: 'read',
      isLive: true,
      async handle({ visitor: session, params, query, url }) {
        const filter = given({ state: query.get('state'), cursor: query.get('cursor') });
        const [job, targets] = await Promise.all([
          ask(session, 'getConfigJob', { params }),
          ask(session, 'listConfigJobTargets', { params, query: { ...filter, limit: '50' } }),
        ]);
        const content = jobHtml({
          ...(await progressOf(session, job)),
          job,
          targets,
          filter,
          runUrl: runUrl(job.id),
          mayChange: session.role !== 'read',
        });
        const notice = noticeOf(query);
        const title = `Job of ${job.profileSlug}`;
        return { page: layout({ title, session, section: 'Jobs', watch: url, notice }, content) };
      },
    },
  ];
}
