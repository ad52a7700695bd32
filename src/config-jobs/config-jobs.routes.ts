import type { Database } from '../db/database.ts';
import { type Audit, shownAs } from '../http/audit.ts';
import type { ConcurrencyLimit } from '../http/concurrency-limit.ts';
import { type Caller, created, ok, pageOf, type Route, route } from '../http/route.ts';
import { notFound, orNotFound } from '../process/errors.ts';
import { slugParam } from '../profiles/profiles.schemas.ts';
import { type JobRef, jobView, NO_SUCH_JOB, targetView } from './config-job.ts';
import type { ConfigJobsRepository } from './config-jobs.repository.ts';
import {
  appliedSchema,
  applyBody,
  applyQuery,
  extendBody,
  jobListSchema,
  jobParams,
  jobSchema,
  listJobsQuery,
  listTargetsQuery,
  stagedJobSchema,
  targetListSchema,
} from './config-jobs.schemas.ts';
import type { ConfigJobsService } from './config-jobs.service.ts';
import type { ConfigTargetsRepository } from './config-targets.repository.ts';

const tag = 'Configuration jobs';

interface ConfigJobsRoutesDeps {
  jobs: ConfigJobsRepository;
  jobsIn(sql: Database): Pick<ConfigJobsRepository, 'find'>;
  targets: ConfigTargetsRepository;
  service: ConfigJobsService;
  /** Limits dry runs, and applies to all devices of an organization or group. */
  limit: ConcurrencyLimit;
}

export function configJobsRoutes({ jobs, jobsIn, targets, service, limit }: ConfigJobsRoutesDeps): Route[] {
  const find = (sql: Database, organizationId: string, jobId: string) =>
    jobsIn(sql).find({ organizationId, jobId });
  const shown = shownAs(jobSchema, find, jobView);
  const shownStage = shownAs(stagedJobSchema, find, (job) => ({
    ...jobView(job),
    stage: job.currentStage,
    isNextStageBeginning: job.isBeginningStage,
  }));
  const change = {
    method: 'POST',
    tag,
    params: jobParams,
    responses: { 200: jobSchema },
    errors: [404, 409],
  } as const;
  /** A repeat is no change; neither are reports of devices that come meanwhile. */
  const auditOf = (field: string, view = shown): Audit => ({
    subject: 'jobId',
    shown: view,
    isChange: (_, differs) => differs(field),
  });
  return [
    route({
      method: 'PUT',
      path: '/devices/config-profiles/{slug}/apply',
      operationId: 'applyProfile',
      summary: 'Apply a profile to devices',
      description:
        'The profile is merged into what is pending for each device, all or none; the job tells how far they are. Above 20,000 devices the job is stored at once with all of them queued, and the change is offered in chunks. At most two dry runs and applies to all at once for an organization; 429 beyond.',
      tag: 'Configuration profiles',
      params: slugParam,
      query: applyQuery,
      body: applyBody,
      responses: { 200: appliedSchema },
      errors: [404],
      idempotent: true,
      audit: {
        subject: 'slug',
        after: ({ jobId, appliedCount }) => ({ jobId, appliedCount }),
        // A dry run, and an apply to no device, begin no job.
        isChange: ({ jobId }) => jobId !== null,
      },
      async handle({ caller, params: { slug }, query, body, transact }) {
        const { organizationId } = caller;
        const {
          serialNumbers = null,
          groupId = null,
          startAt = null,
          rollout = null,
          deadlineMinutes,
        } = body;
        const chosen = { serialNumbers, groupId };
        if (query.dryRun) {
          const request = { chosen, startAt, isListed: !query.omitApplied };
          const preview = () => service.preview(transact, organizationId, slug, request);
          const result = await limit.run(caller, preview);
          return ok({ ok: true, profileSlug: slug, jobId: null, ...result });
        }
        const request = { chosen, startAt, deadlineMinutes, rollout };
        const apply = () => service.apply(transact, organizationId, slug, request);
        const { jobId, applied } = await (serialNumbers === null ? limit.run(caller, apply) : apply());
        const location = jobId === null ? undefined : { Location: `/devices/config-jobs/${jobId}` };
        return ok({ ok: true, profileSlug: slug, appliedCount: applied.length, applied, jobId }, location);
      },
    }),
    route({
      method: 'GET',
      path: '/devices/config-jobs',
      operationId: 'listConfigJobs',
      summary: 'List configuration jobs, newest first',
      description: 'Jobs stay in the list after they have ended.',
      tag,
      query: listJobsQuery,
      responses: { 200: jobListSchema },
      async handle({ caller, query: { status = null, limit, cursor: before = null } }) {
        const found = await jobs.list(caller.organizationId, { status, before, limit: limit + 1 });
        return ok(pageOf(found, limit, ({ jobId }) => jobId, jobView));
      },
    }),
    route({
      method: 'GET',
      path: '/devices/config-jobs/{jobId}',
      operationId: 'getConfigJob',
      summary: 'Get a configuration job',
      description:
        'Poll it until status is no longer scheduled or running, or subscribe to config.job.finished. counts says how many devices are in which state.',
      tag,
      params: jobParams,
      responses: { 200: jobSchema },
      errors: [404],
      async handle({ caller, params: { jobId } }) {
        const job = orNotFound(await jobs.find(toRef(caller, jobId)), NO_SUCH_JOB);
        return ok(jobView(job));
      },
    }),
    route({
      method: 'GET',
      path: '/devices/config-jobs/{jobId}/targets',
      operationId: 'listConfigJobTargets',
      summary: 'List the devices of a job and where each stands',
      description:
        'One item for each device of the job, with the reason if it failed. waiting: not fetched yet; sent: fetched, not confirmed.',
      tag,
      params: jobParams,
      query: listTargetsQuery,
      responses: { 200: targetListSchema },
      errors: [404],
      async handle({ caller, params: { jobId }, query: { state = null, limit, cursor: before = null } }) {
        const job = toRef(caller, jobId);
        const found = await targets.list(job, { state, before, limit: limit + 1 });
        if (found.length === 0 && !(await jobs.exists(job))) throw notFound(NO_SUCH_JOB);
        return ok(pageOf(found, limit, ({ assetId }) => assetId, targetView));
      },
    }),
    route({
      ...change,
      path: '/devices/config-jobs/{jobId}/cancel',
      operationId: 'cancelConfigJob',
      summary: 'Cancel a scheduled or running job',
      audit: auditOf('cancelRequestedAt'),
      description:
        'Devices that have not settled are cancelled, and their change is withdrawn. A large job is still running in the answer, with cancelRequestedAt: it ends when the change is withdrawn from all its devices.',
      async handle({ caller, params: { jobId }, transact }) {
        return ok(jobView(await service.cancel(transact, toRef(caller, jobId))));
      },
    }),
    route({
      ...change,
      path: '/devices/config-jobs/{jobId}/proceed',
      operationId: 'proceedConfigJob',
      summary: 'Begin the next stage of a rollout now',
      audit: auditOf('isNextStageBeginning', shownStage),
      description:
        'However many devices of the first stage have applied the change; too many refusals end the job all the same. 409 when no stage follows.',
      async handle({ caller, params: { jobId }, transact }) {
        return ok(jobView(await service.proceed(transact, toRef(caller, jobId))));
      },
    }),
    route({
      ...change,
      path: '/devices/config-jobs/{jobId}/extend',
      operationId: 'extendConfigJob',
      summary: 'Move the deadline of a scheduled or running job',
      audit: auditOf('deadlineAt'),
      description: 'To a later time. 409 when the deadline has passed or the job has ended.',
      body: extendBody,
      async handle({ caller, params: { jobId }, body: { deadlineAt }, transact }) {
        return ok(jobView(await service.extend(transact, toRef(caller, jobId), deadlineAt)));
      },
    }),
    route({
      method: 'POST',
      path: '/devices/config-jobs/{jobId}/retry',
      operationId: 'retryConfigJob',
      summary: 'Send the same change again to failed and timed-out devices',
      description:
        'Starts a new job with the change as it was applied, whatever the profile says now, for the devices that failed or timed out and have not confirmed it since. 409 when there is none.',
      tag,
      params: jobParams,
      responses: { 201: jobSchema },
      errors: [404, 409],
      audit: { subject: ({ id }) => id, shown },
      async handle({ caller, params: { jobId }, transact }) {
        const job = await service.retry(transact, toRef(caller, jobId));
        return created(jobView(job), { Location: `/devices/config-jobs/${job.jobId}` });
      },
    }),
  ];
}

const toRef = ({ organizationId }: Caller, jobId: string): JobRef => ({ organizationId, jobId });
