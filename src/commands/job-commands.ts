/** Commands for jobs, by API. */
import { type Client, type ConfigJob, each, type Result, waitUntilApplied } from '../../client/src/index.ts';
import { byApi } from './api.ts';
import { type Command, print, required } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { take } from './operation-answers.ts';

type Target = Result<'listConfigJobTargets'>['items'][number];

const TARGETS_SHOWN = 10;

export const jobCommands: Command[] = [
  {
    words: ['jobs', 'show'],
    args: 'ID',
    operations: ['getConfigJob'],
    summary: 'show a job, whom it waits for, who refused it and why, and who was not in time',
    ...byApi(async ({ dms }, input) => {
      const jobId = required(input, 0, 'ID');
      const job = await dms.getConfigJob({ jobId });
      const targets = (state: Target['state']) =>
        take(each(dms.listConfigJobTargets, { jobId, state }), TARGETS_SHOWN);
      const [waiting, sent, failed, timedOut] = await Promise.all([
        targets('waiting'),
        targets('sent'),
        targets('failed'),
        targets('timed_out'),
      ]);
      const lines = [
        describe(job),
        ...withMore(await Promise.all(waiting.map((each) => waitText(dms, each))), job.counts.waiting),
        ...listText('Fetched the change and have not confirmed it', sent, job.counts.sent),
        ...withMore(failed.map(reasonText), job.counts.failed),
        ...listText('Not in time', timedOut, job.counts.timedOut),
      ];
      const lists = { waitsFor: serials(waiting), unconfirmed: serials(sent), notInTime: serials(timedOut) };
      return { text: lines.join('\n'), value: { ...job, ...lists, refusedBy: failed.map(refusal) } };
    }),
  },
  {
    words: ['jobs', 'watch'],
    args: 'ID',
    summary: 'show how a job goes on until it has ended',
    details: 'Exit code 3: it has ended, and not every device runs the configuration.',
    ...byApi(async ({ dms }, input) => {
      const isTerminal = process.stdout.isTTY === true && !input.isJson;
      const show = (job: ConfigJob) => {
        if (input.isJson) print(JSON.stringify(job));
        else if (isTerminal) process.stdout.write(`\r\x1b[K${progressLine(job, process.stdout.columns)}`);
        else print(progressLine(job));
      };
      const job = await waitUntilApplied(dms, required(input, 0, 'ID'), { onProgress: show });
      if (isTerminal) print('');
      if (job.status !== 'succeeded' || job.counts.applied < job.total) process.exitCode = EXIT_CODES.partly;
      return input.isJson ? undefined : describe(job);
    }),
  },
];

const describe = ({ profileSlug, status, reason, counts, total }: ConfigJob): string =>
  `${profileSlug}: ${status}${reason === null ? '' : `: ${reason}`}. ${counts.applied} of ${total} devices have applied it${failures(counts)}.`;

const failures = ({ failed, timedOut }: ConfigJob['counts']): string =>
  (failed > 0 ? `, ${failed} refused it` : '') + (timedOut > 0 ? `, ${timedOut} were not in time` : '');

/** A logger fetches its change when it sends, so its last contact explains why it has not. */
async function waitText(dms: Client, { serialNumber }: Target): Promise<string> {
  const [asset] = (await dms.listAssets({ serialNumber })).items;
  return asset
    ? `Waits for ${serialNumber}: ${asset.status}, last reading ${asset.lastReadingAt ?? 'never'}`
    : `Waits for ${serialNumber}`;
}

const serials = (targets: Target[]): string[] => targets.map(({ serialNumber }) => serialNumber);
const refusal = ({ serialNumber, reason }: Target) => ({ serialNumber, reason });
const reasonText = ({ serialNumber, reason }: Target): string => `${serialNumber}: ${reason}`;

const withMore = (lines: string[], count: number): string[] =>
  count > lines.length && lines.length > 0 ? [...lines, `…${more(count, lines.length)}`] : lines;

const listText = (title: string, targets: Target[], count: number): string[] =>
  targets.length > 0 ? [`${title}: ${serials(targets).join(', ')}${more(count, targets.length)}`] : [];

const more = (count: number, shown: number): string => (count > shown ? ` and ${count - shown} more` : '');

const WIDE = 100;
const BAR_MAX = 40;
const AROUND = 60;

/** `████▌     45 % · 90 applied, 100 waiting, 10 sent` */
function progressLine({ counts, total, status }: ConfigJob, columns = WIDE): string {
  const settled = counts.applied + counts.failed + counts.timedOut + counts.cancelled + counts.superseded;
  const percent = total === 0 ? 100 : Math.floor((100 * settled) / total);
  const parts = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state === 'timedOut' ? 'timed out' : state}`);
  const bar = barOf(percent / 100, Math.max(10, Math.min(BAR_MAX, columns - AROUND)));
  return `${bar} ${String(percent).padStart(3)} % · ${parts.join(', ') || status}`;
}

/** Blocks in eighths of a character. */
const PARTS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

function barOf(share: number, width: number): string {
  const eighths = Math.floor(share * width * 8);
  return `${'█'.repeat(Math.floor(eighths / 8))}${PARTS[eighths % 8]}`.padEnd(width);
}
