/**
 * The loop in the worker that notifies people: it finds channels with due alerts or messages, gathers, and
 * sends the messages of a channel one after the other. A crash between sending and recording may send a
 * message twice, with the same id; none is lost. Messages about the same alert keep their order, with any
 * number of workers.
 */
import type { Database } from '../db/database.ts';
import { repeatAfterConflict, type Transact } from '../db/transaction.ts';
import { nextAttempt } from '../deliveries/delivery.ts';
import { createBackgroundTasks } from '../process/background-tasks.ts';
import { NoTurn } from '../process/keyed-semaphore.ts';
import type { Log } from '../process/log.ts';
import type { Gather, GatherSteps } from './gathering.service.ts';
import type { SendResult } from './mailer.service.ts';
import type { RenewMessage } from './message-renewal.service.ts';
import type { MessageSender } from './message-sender.service.ts';
import type {
  ClaimedNotification,
  DueChannel,
  NotificationsRepository,
  RecordedNotification,
} from './notifications.repository.ts';

interface NotifierDeps {
  transact: Transact;
  notifications: Pick<NotificationsRepository, 'listDueChannels' | 'findWaiting' | 'record' | 'release'>;
  notificationsIn(sql: Database): Pick<NotificationsRepository, 'claim'>;
  gather: Gather;
  gatherSteps: GatherSteps;
  renew: RenewMessage;
  sender: MessageSender;
  /** Limits e-mails: `hasRoom` checks, `count` counts, `takeBack` takes back what was counted. */
  mails: {
    hasRoom(channel: DueChannel): Promise<boolean>;
    count(claimed: ClaimedNotification): Promise<boolean>;
    takeBack(claimed: ClaimedNotification): Promise<void>;
  };
  schedule: readonly number[];
  leaseSeconds: number;
  /** The same as for gathering. */
  gatherIntervalMs: number;
  now(): Date;
  random(): number;
  observe(outcome: 'sent' | 'retried' | 'failed'): void;
  log: Log;
}

/**
 * Channels of one organization that are served at a time, so that its slow receivers delay no other
 * organization.
 */
const PER_ORGANIZATION_MAX = 4;
const PER_PROCESS_MAX = 64;
/** All e-mails go to one server: while that is slow, Slack and webhooks keep half of the places. */
const SHARE_OF_EMAIL = 0.5;

const UNSENDABLE: SendResult = {
  verdict: 'retry',
  statusCode: null,
  error: 'the service cannot send to this channel at present',
  durationMs: 0,
  retryAfterMs: null,
};

export function createNotifier(deps: NotifierDeps) {
  const { notifications, gather, sender, now, log } = deps;
  /** Channels that are being served. */
  const underWay = new Map<string, DueChannel>();
  const tasks = createBackgroundTasks(() => {});
  let isStopping = false;

  async function serve(channel: DueChannel): Promise<void> {
    // Alerts wait while the limit of e-mails is reached, and the next message names them all.
    if (!(await deps.mails.hasRoom(channel))) return;
    // Quiet hours hold no steps of escalations.
    const isForEscalations = !(await gather(channel));
    while (!isStopping) {
      // Before each claim, which locks: most often there is nothing further. Steps may have arrived meanwhile.
      const { hasSteps, isDue } = await notifications.findWaiting(channel, now());
      if (hasSteps) await deps.gatherSteps(channel);
      else if (!isDue) return;
      const lease = { leaseSeconds: deps.leaseSeconds, isForEscalations };
      const claimed = await deps.transact(({ sql }) =>
        deps.notificationsIn(sql).claim(channel, now(), lease),
      );
      if (!claimed) return;
      const content = await deps.renew(claimed);
      if (content === null) continue;
      if (!(await deps.mails.count(claimed))) return notifications.release(claimed);
      await attempt({ ...claimed, content });
    }
  }

  async function attempt(claimed: ClaimedNotification): Promise<void> {
    const result = await send(claimed);
    if (result === null) return notifications.release(claimed);
    if (result.isUnsent) await deps.mails.takeBack(claimed);
    const outcome = toOutcome(claimed, result);
    await repeatAfterConflict(() => notifications.record(outcome, now()));
    deps.observe(outcome.state === 'pending' ? 'retried' : outcome.state);
  }

  /** Null when no attempt was made. */
  async function send(claimed: ClaimedNotification): Promise<SendResult | null> {
    const { id, createdAt: madeAt, content } = claimed;
    try {
      return await sender.send(sender.open(claimed), { id, madeAt, content });
    } catch (err) {
      if (err instanceof NoTurn) return null;
      log.error({ err, channelId: claimed.channelId }, 'A notification cannot be sent: it is tried again');
      return UNSENDABLE;
    }
  }

  function toOutcome(claimed: ClaimedNotification, result: SendResult): RecordedNotification {
    const { organizationId, channelId, id, attemptCount } = claimed;
    const { verdict, error, retryAfterMs } = result;
    const ref = { organizationId, channelId, id };
    if (verdict === 'delivered') return { ...ref, state: 'sent', nextAttemptAt: null, error: null };
    const isFinal = verdict === 'gone' || verdict === 'blocked';
    const { state, waitMs } = nextAttempt(attemptCount + 1, retryAfterMs, deps.schedule, deps.random);
    if (isFinal || state === 'failed') return { ...ref, state: 'failed', nextAttemptAt: null, error };
    return { ...ref, state: 'pending', nextAttemptAt: new Date(now().getTime() + waitMs), error };
  }

  function hasPlace({ organizationId, type }: DueChannel): boolean {
    const ofProcess = [...underWay.values()];
    const ofOrganization = ofProcess.filter((each) => each.organizationId === organizationId);
    const isFull = (served: DueChannel[], max: number): boolean =>
      served.length >= max ||
      (type === 'email' && served.filter((each) => each.type === type).length >= max * SHARE_OF_EMAIL);
    return !isFull(ofOrganization, PER_ORGANIZATION_MAX) && !isFull(ofProcess, PER_PROCESS_MAX);
  }

  /** Does nothing where no place is free: the next poll finds the channel again. */
  function start(channel: DueChannel): void {
    const { channelId } = channel;
    if (underWay.has(channelId) || !hasPlace(channel)) return;
    underWay.set(channelId, channel);
    tasks.add(
      serve(channel)
        .catch((err) =>
          log.warn({ err, channelId }, 'A notification channel was not served: it is tried again'),
        )
        .finally(() => underWay.delete(channelId)),
    );
  }

  return {
    async look(): Promise<void> {
      const at = now();
      const gatheredBefore = new Date(at.getTime() - deps.gatherIntervalMs);
      for (const channel of await notifications.listDueChannels(at, gatheredBefore)) start(channel);
    },
    /** Waits for messages that are being sent. */
    async stop(): Promise<void> {
      isStopping = true;
      await tasks.drain();
    },
  };
}
