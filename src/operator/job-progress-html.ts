import { AWAITED_READ_MAX, hasEnded, type JobView } from '../config-jobs/config-job.ts';
import { stagesText } from './apply-html.ts';
import { type Content, type Html, html } from './html.ts';
import { type JobProgress, type JobStages, whyAwaited } from './job-progress.ts';
import { badge, counted, type Fact, nameLink, table, time } from './parts.ts';
import type { ShownAsset } from './shown-assets.repository.ts';

/** Lines of the facts about a job. */
export const progressFacts = (job: JobView, stages: JobStages | null, progress: JobProgress): Fact[] => [
  stages && stages.stageCount > 1 && ['Stage', stageText(stages, job.total)],
  !hasEnded(job.status) && ['Expected end', expectedEnd(job, progress)],
  stages?.retryOfJobId && ['Retry of', html`<a href="/operator/jobs/${stages.retryOfJobId}">another job</a>`],
];

function stageText(
  { currentStage, stageCount, rollout, isBeginningStage }: JobStages,
  total: number,
): Content {
  const rule = rollout && html`: <span class="quiet">${stagesText(rollout, total)}</span>`;
  const next = isBeginningStage && html`, <span class="quiet">the next one is beginning</span>`;
  return html`${currentStage} of ${stageCount}${next}${rule}`;
}

function expectedEnd({ status, counts, deadlineAt }: JobView, progress: JobProgress): Content {
  const { expectedEnd: end, lateCount, sampledCount } = progress;
  if (status === 'scheduled') return 'once it has started';
  const stillQueued =
    counts.queued > 0 && html`, <span class="quiet">then ${counted(counts.queued, 'queued device')}</span>`;
  const late =
    lateCount > 0 &&
    html`, <span class="quiet">but for ${counted(lateCount, 'device')} that may keep it until the deadline</span>`;
  const part =
    sampledCount < counts.waiting + counts.sent &&
    html`, <span class="quiet">by a sample of ${sampledCount.toLocaleString('en')}</span>`;
  return html`${end ? html`${time(end.toISOString())} at the latest` : html`at the deadline, ${time(deadlineAt)}`}${stillQueued}${end && late}${part}`;
}

export const latestHtml = (
  { latest, lateCount, sampledCount }: JobProgress,
  devices: ReadonlyMap<string, ShownAsset>,
  now: Date,
): Html => html`<h2>${lateCount > 0 ? 'Devices that hold it up' : 'The last devices that it waits for'}</h2>
${table({
  caption: 'The devices that the job waits for, the most overdue first',
  head: ['Device', 'State', 'Why', 'Contact, at the latest', 'Last contact'],
  rows: latest.map((device): Content[] => [
    deviceLink(device.assetId, devices),
    badge(device.state),
    whyAwaited(device, now),
    device.expectedBy ? time(device.expectedBy.toISOString()) : html`<span class="quiet">not known</span>`,
    time(device.lastContactAt?.toISOString()),
  ]),
  empty: 'The job waits for no device.',
})}
${sampledCount >= AWAITED_READ_MAX && html`<p class="quiet">Of the first ${AWAITED_READ_MAX.toLocaleString('en')} devices that the job waits for.</p>`}`;

export function deviceLink(assetId: string, devices: ReadonlyMap<string, ShownAsset>): Html {
  const { name, serialNumber } = devices.get(assetId) ?? { name: 'archived', serialNumber: 'archived' };
  return nameLink(assetId, name, serialNumber);
}
