import { hasEnded, type JobView } from '../config-jobs/config-job.ts';
import { toApply } from './apply-form.ts';
import { applyHtml } from './apply-html.ts';
import type { JobProgressRepository } from './job-progress.repository.ts';
import { toProgress } from './job-progress.ts';
import { jobHtml, jobsHtml } from './jobs-html.ts';
import { given, noticeOf, type OperatorPage, type PageDeps } from './page-deps.ts';
import { OPERATOR_PATH, type Session } from './session.ts';

export interface JobsPageDeps extends PageDeps {
  /** The page of a job's run in the Temporal UI; null when nobody said where that is. */
  runUrl(jobId: string): string | null;
  jobProgress: JobProgressRepository;
}

const path = `${OPERATOR_PATH}/jobs`;
const DONE: Record<string, string> = {
  cancelled: 'The job was cancelled: no further device is offered the change.',
  retried: 'The same change is sent again to the devices that failed or timed out.',
  applied: 'The job has begun.',
};

export function jobsRoutes({ ask, layout, now, runUrl, jobProgress }: JobsPageDeps): OperatorPage[] {
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
        const [jobs, { profiles }] = await Promise.all([
          ask(session, 'listConfigJobs', { query: { ...filter, limit: '25' } }),
          ask(session, 'listProfiles'),
        ]);
        const content = jobsHtml({ jobs, profiles, filter, mayChange: session.role !== 'read' });
        return { page: layout({ title: 'Jobs', session, section: 'Jobs', watch: url }, content) };
      },
    },
    {
      method: 'POST',
      path: `${path}/apply`,
      role: 'write',
      async handle({ visitor: session, form }) {
        const slug = form.get('slug') ?? '';
        const body = toApply(form);
        const isPreview = form.get('sure') !== 'yes';
        const query = given({ dryRun: isPreview ? 'true' : null });
        const applied = await ask(session, 'applyProfile', { params: { slug }, query, body });
        if (isPreview) {
          const content = applyHtml(applied, { rollout: body.rollout ?? null, fields: [...form] });
          return { page: layout({ title: `Apply ${slug}`, session, section: 'Jobs' }, content) };
        }
        return { location: applied.jobId === null ? path : `${path}/${applied.jobId}?done=applied` };
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
        const notice = noticeOf(query, DONE);
        const title = `Job of ${job.profileSlug}`;
        return { page: layout({ title, session, section: 'Jobs', watch: url, notice }, content) };
      },
    },
    {
      method: 'POST',
      path: `${path}/{jobId}/cancel`,
      role: 'write',
      async handle({ visitor: session, params }) {
        const { id } = await ask(session, 'cancelConfigJob', { params });
        return { location: `${path}/${id}?done=cancelled` };
      },
    },
    {
      method: 'POST',
      path: `${path}/{jobId}/retry`,
      role: 'write',
      async handle({ visitor: session, params }) {
        const { id } = await ask(session, 'retryConfigJob', { params });
        return { location: `${path}/${id}?done=retried` };
      },
    },
  ];
}
