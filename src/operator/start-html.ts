/** The start page: alerts, failures and unregistered loggers, each with its action. */
import type { AlertView } from '../alerts/alert.ts';
import type { ListedAssetView } from '../assets/asset.ts';
import type { JobView } from '../config-jobs/config-job.ts';
import type { Layout } from '../devices/device-capabilities.ts';
import { labelOfChannel } from '../notifications/notification-channel.ts';
import { acknowledgeButton, alertDetails } from './alerts-html.ts';
import type { ChannelView, UnregisteredView, WebhookView } from './answers.ts';
import { applyAgain } from './apply-html.ts';
import { IN_CONTACT_MAX } from './counts.ts';
import type { FormLink } from './form-links.ts';
import { type Content, type Html, html } from './html.ts';
import { type ProfileNames, profileNameOf } from './jobs-html.ts';
import { outageHtml } from './outage-html.ts';
import {
  ACTION,
  badge,
  button,
  clockAndAge,
  counted,
  dueTime,
  live,
  nameLink,
  TICK_HEAD,
  table,
  toWords,
} from './parts.ts';
import type { NewestChange } from './shown-jobs.repository.ts';
import type { Outage, TroubledJob } from './start.repository.ts';
import type { Notified } from './start.ts';
import { acknowledgeTicked, tickOf } from './ticked-alerts-html.ts';
import { registerForm } from './unregistered-html.ts';
import { hostOf, pathOf, sendingLink } from './webhooks-html.ts';

export interface NamedAlert {
  alert: AlertView;
  name: string;
  layout: Layout | undefined;
  notified: Notified;
}

/** Jobs with failures; some of them are shown. */
export interface TroubledJobs {
  items: readonly JobView[];
  inAll: number;
}

export interface StartPage {
  alerts: readonly NamedAlert[];
  outage: Outage | null;
  /** Number of new alerts; some of them are shown. */
  alertsInAll: number;
  /** Number of alerts that somebody takes care of. */
  acknowledged: number;
  /** Devices that have refused a change; null: its job is deleted. */
  failed: ReadonlyArray<{ device: ListedAssetView; change: NewestChange | null }>;
  failedInAll: number;
  /** Devices that run other settings than the confirmed ones, with the profile that they applied last. */
  drifted: ReadonlyArray<{ device: ListedAssetView; slug: string | null }>;
  driftedInAll: number;
  jobs: Record<TroubledJob['status'], TroubledJobs>;
  profileNames: ProfileNames;
  webhooks: readonly WebhookView[];
  channels: readonly ChannelView[];
  unregistered: readonly UnregisteredView[];
  hasMoreUnregistered: boolean;
  /** Only where all is well. */
  calm: Calm | null;
}

export interface Calm {
  /** The end of the last alert; null: there was none. */
  since: string | null;
  inContact: number;
  devices: number;
  /** Devices that keep to their contacts. */
  online: number;
  neverReported: number;
}

export interface StartOptions {
  link: FormLink;
  mayChange: boolean;
  /** For the ticked alerts, as typed. */
  note: string | null;
  now: Date;
}

const HOME = { return: '/operator' };

export const startHtml = (page: StartPage, options: StartOptions): Html => html`
${live(
  'now',
  html`<h1>${page.calm ? calmTitle(page.calm, page) : 'What needs you now'}</h1>
${page.calm ? calmHtml(page.calm, page, options) : sectionsHtml(page, options)}`,
)}`;

const sectionsHtml = (page: StartPage, options: StartOptions): Content => [
  section('Alerts', page.alerts.length > 0 && alertsHtml(page, options)),
  page.acknowledged > 0 && inHandHtml(page.acknowledged),
  section('Rollouts that ended themselves', endedHtml(page, 'aborted', options)),
  section('Changes that failed', page.failed.length > 0 && failedHtml(page, options)),
  section('Settings that drifted', page.drifted.length > 0 && driftedHtml(page, options)),
  section('Jobs with failures', jobsHtml(page, options)),
  section('Jobs that ended with failures', endedHtml(page, 'completed_with_failures', options)),
  section('Webhooks in trouble', page.webhooks.length > 0 && webhooksHtml(page, options)),
  section('Notification channels in trouble', page.channels.length > 0 && channelsHtml(page, options)),
  section('Unregistered loggers', page.unregistered.length > 0 && unregisteredHtml(page, options)),
];

const section = (title: string, content: Content): Content => content && [html`<h2>${title}</h2>`, content];

const more = (shown: number, inAll: number, href: string): Content =>
  inAll > shown && html`<p class="pager"><a href="${href}">All ${inAll.toLocaleString('en')}</a></p>`;

function alertsHtml(
  { alerts, outage, alertsInAll }: StartPage,
  { link, mayChange, note, now }: StartOptions,
): Content {
  return [
    // The rows below would look like as many faults of single devices.
    outage && outageHtml(outage, html`<a href="/operator/alerts/${outage.alertId}">One alert</a>`),
    table({
      caption: 'New alerts, most urgent first',
      head: [
        ...(mayChange ? [TICK_HEAD] : []),
        'Device',
        'Alert',
        'Value',
        'Since',
        'Notified',
        'Next',
        ACTION,
      ],
      rows: alerts.map(({ alert, name, layout, notified }) => ({
        key: alert.id,
        cells: [
          ...(mayChange ? [tickOf(alert, name)] : []),
          nameLink(alert.assetId, name, alert.serialNumber),
          html`<a href="/operator/alerts/${alert.id}"><strong>${toWords(alert.type)}</strong></a>${alert.severity === 'warning' && html` ${badge('warning')}`}${alert.muted && html` ${badge('under_maintenance')}`}`,
          'bounds' in alert.details
            ? html`<span class="problem">${alertDetails(alert, layout)}</span>`
            : alertDetails(alert, layout),
          clockAndAge(alert.timestamp),
          notified.notified.join(', ') || html`<span class="quiet">no channel</span>`,
          notified.next
            ? html`${notified.next.targets.join(', ')} ${dueTime(notified.next.at, now)}`
            : html`<span class="quiet">–</span>`,
          mayChange &&
            html`<div class="row">${acknowledgeButton(alert, name, { fields: HOME, tone: 'main' })}${link('muteAsset', { assetId: alert.assetId, ...HOME }, { label: 'Maintenance', about: name })}</div>`,
        ],
      })),
    }),
    more(alerts.length, alertsInAll, '/operator/alerts'),
    mayChange &&
      acknowledgeTicked(
        alerts.map(({ alert }) => alert),
        { back: HOME.return, note },
      ),
  ];
}

const failedHtml = ({ failed, failedInAll, profileNames }: StartPage, { link }: StartOptions): Content => [
  table({
    caption: 'Devices that have refused a change',
    head: ['Device', 'Profile', 'Why', 'Last reading', ACTION],
    rows: failed.map(({ device: { id, name, serialNumber, lastReadingAt }, change }) => [
      nameLink(id, name, serialNumber),
      change &&
        html`<a href="/operator/jobs/${change.jobId}">${profileNameOf(change.profileSlug, profileNames)}</a>`,
      change?.reason && html`<span class="problem">${change.reason}</span>`,
      clockAndAge(lastReadingAt),
      link('withdrawDeviceConfig', { serial: serialNumber, ...HOME }, { label: 'Withdraw…', about: name }),
    ]),
  }),
  more(failed.length, failedInAll, '/operator/fleet?syncStatus=failed'),
];

function endedHtml(
  { jobs, profileNames }: StartPage,
  status: 'aborted' | 'completed_with_failures',
  { link, mayChange }: StartOptions,
): Content {
  const { items } = jobs[status];
  return (
    items.length > 0 && [
      table({
        caption: `${status === 'aborted' ? 'Rollouts that ended themselves' : 'Jobs that ended with failures'} within the last day`,
        head: ['Profile', 'Why', 'Applied', 'Ended', ACTION],
        rows: items.map((job) => {
          const about = profileNameOf(job.profileSlug, profileNames);
          return [
            jobLink(job, profileNames),
            html`<span class="problem">${job.reason ?? failuresText(job)}</span>`,
            `${job.counts.applied.toLocaleString('en')} of ${job.total.toLocaleString('en')}`,
            clockAndAge(job.finishedAt),
            html`<div class="row">${status === 'aborted' && mayChange && putBackLink(job, about)}${
              job.counts.failed + job.counts.timedOut > 0 &&
              link('retryConfigJob', { jobId: job.id }, { label: 'Retry…', about })
            }</div>`,
          ];
        }),
      }),
      moreJobs(jobs[status], status),
    ]
  );
}

/** The page of the job says which of its devices go back to which profile. */
const putBackLink = ({ id, counts }: JobView, about: string): Content =>
  counts.applied > 0 &&
  html`<a class="button" href="/operator/jobs/${id}">Put back…<span class="hidden"> devices that have taken ${about}</span></a>`;

const jobLink = (job: JobView, names: ProfileNames): Html =>
  html`<a class="name" href="/operator/jobs/${job.id}">${profileNameOf(job.profileSlug, names)}</a>`;

const failuresText = ({ counts: { failed, timedOut } }: JobView): string =>
  [
    failed > 0 && `${failed.toLocaleString('en')} failed`,
    timedOut > 0 && `${timedOut.toLocaleString('en')} timed out`,
  ]
    .filter(Boolean)
    .join(', ');

/** The list has other jobs with the status as well. */
const moreJobs = ({ items, inAll }: TroubledJobs, status: TroubledJob['status']): Content => {
  const more = inAll - items.length;
  return (
    more > 0 &&
    html`<p class="pager">${more.toLocaleString('en')} more ${more === 1 ? 'is' : 'are'} among <a href="/operator/jobs?status=${status}">all that ${status === 'running' ? 'run' : 'ended so'}</a></p>`
  );
};

const driftedHtml = (
  { drifted, driftedInAll, profileNames }: StartPage,
  { link, mayChange }: StartOptions,
): Content => [
  table({
    caption: 'Devices that run other settings than the confirmed ones',
    head: ['Device', 'Profile', 'Last reading', ACTION],
    rows: drifted.map(({ device, slug }) => [
      nameLink(device.id, device.name, device.serialNumber),
      slug && html`<a href="/operator/profiles/${slug}">${profileNameOf(slug, profileNames)}</a>`,
      clockAndAge(device.lastReadingAt),
      slug
        ? mayChange && applyAgain({ slug, profileName: profileNameOf(slug, profileNames) }, device)
        : link(
            'applyProfile',
            { serialNumbers: device.serialNumber },
            { label: 'Apply…', about: device.name },
          ),
    ]),
  }),
  more(drifted.length, driftedInAll, '/operator/fleet?syncStatus=drifted'),
];

const jobsHtml = ({ jobs: { running }, profileNames }: StartPage, { link }: StartOptions): Content =>
  running.items.length > 0 && [
    table({
      caption: 'Running jobs with devices that failed',
      head: ['Profile', 'Failed', 'Applied', 'Deadline', ACTION],
      rows: running.items.map((job) => {
        const { id: jobId, counts, total, deadlineAt } = job;
        const about = profileNameOf(job.profileSlug, profileNames);
        return [
          jobLink(job, profileNames),
          html`<span class="problem">${counts.failed.toLocaleString('en')}</span>`,
          `${counts.applied.toLocaleString('en')} of ${total.toLocaleString('en')}`,
          clockAndAge(deadlineAt),
          html`<div class="row">${link('retryConfigJob', { jobId }, { label: 'Retry…', about })}${link('cancelConfigJob', { jobId }, { label: 'Cancel…', about })}</div>`,
        ];
      }),
    }),
    moreJobs(running, 'running'),
  ];

const webhooksHtml = ({ webhooks }: StartPage, { link, mayChange }: StartOptions): Html =>
  table({
    caption: 'Webhooks in trouble',
    head: ['Webhook', 'Health', 'Since', 'Waiting', ACTION],
    rows: webhooks.map((webhook) => [
      html`<a class="name" href="${pathOf(webhook)}">${webhook.name ?? hostOf(webhook.url)}</a>`,
      badge(webhook.health.state),
      clockAndAge(webhook.health.since),
      webhook.health.backlog.toLocaleString('en'),
      html`<div class="row">${sendingLink(webhook, link, webhook.url)}${mayChange && button({ action: `${pathOf(webhook)}/test`, label: 'Send a test', about: webhook.url })}</div>`,
    ]),
  });

const channelsHtml = ({ channels }: StartPage, { link, mayChange }: StartOptions): Html =>
  table({
    caption: 'Notification channels in trouble',
    head: ['Channel', 'Status', 'Trouble', ACTION],
    rows: channels.map(({ id, status, lastError, ...channel }) => ({
      key: id,
      cells: [
        html`<span class="name">${labelOfChannel(channel)}</span>`,
        badge(status),
        lastError && html`<span class="problem">${lastError}</span>`,
        status === 'unconfirmed'
          ? link('confirmNotificationChannelAgain', { channelId: id }, { about: labelOfChannel(channel) })
          : mayChange &&
            button({
              action: `/operator/channels/${id}/test`,
              label: 'Test',
              about: labelOfChannel(channel),
            }),
      ],
    })),
  });

const unregisteredHtml = (
  { unregistered, hasMoreUnregistered }: StartPage,
  { mayChange }: StartOptions,
): Content => [
  table({
    caption: 'Loggers that send and are not registered',
    head: ['Serial number', 'Last contact', ACTION],
    rows: unregistered.map(({ serialNumber, lastSeenAt }) => ({
      key: serialNumber,
      cells: [
        html`<code>${serialNumber}</code>`,
        clockAndAge(lastSeenAt),
        mayChange && registerForm(serialNumber, { back: HOME.return }),
      ],
    })),
  }),
  hasMoreUnregistered && html`<p class="pager"><a href="/operator/unregistered">All of them</a></p>`,
];

function calmTitle({ devices, online }: Calm, { acknowledged }: StartPage): string {
  if (devices === 0) return 'Begin here';
  return online === devices && acknowledged === 0 ? 'All is well' : 'Nothing new';
}

const inHandHtml = (acknowledged: number): Html =>
  html`<p><a href="/operator/alerts?status=acknowledged">${acknowledged.toLocaleString('en')} ${acknowledged === 1 ? 'alert is' : 'alerts are'} in hand</a>, and not over.</p>`;

function calmHtml(calm: Calm, { acknowledged }: StartPage, { link, mayChange }: StartOptions): Html {
  const { since, inContact, devices, online, neverReported } = calm;
  const overdue = devices - online - neverReported;
  if (devices === 0) {
    return html`<section class="panel calm"><p>No logger is registered yet.</p>
<div class="actions">${link('registerAsset', {}, { tone: 'main' })}${mayChange && html`<a class="button" href="/operator/import">Import devices from a file</a>`}</div></section>`;
  }
  const count =
    inContact < IN_CONTACT_MAX
      ? inContact.toLocaleString('en')
      : `more than ${(IN_CONTACT_MAX - 1).toLocaleString('en')}`;
  return html`<section class="panel calm">
<p><strong>${count} of ${devices.toLocaleString('en')}</strong> ${devices === 1 ? 'logger' : 'loggers'} sent within the last hour, ${online.toLocaleString('en')} ${online === 1 ? 'is' : 'are'} online.</p>
${neverReported > 0 && html`<p><a href="/operator/fleet?status=new">${counted(neverReported, 'logger')}</a> never reported.</p>`}
${overdue > 0 && html`<p><a href="/operator/fleet?status=offline">${counted(overdue, 'logger')}</a> missed a contact.</p>`}
${acknowledged > 0 && inHandHtml(acknowledged)}
<p class="quiet">${since ? html`The last alert ended ${clockAndAge(since)}.` : 'No alert has ended yet.'}</p>
<p><a class="button" href="/operator/fleet">The fleet</a></p></section>`;
}
