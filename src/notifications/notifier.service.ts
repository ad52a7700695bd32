/**
 * The loop in the worker that notifies people: it finds channels with due alerts or messages, gathers, and
 * sends the messages of a channel one after the other. A crash between sending and recording may send a
 * message twice, with the same id; none is lost.
 */
import { repeatAfterConflict } from '../db/transaction.ts';
import { nextAttempt } from '../deliveries/delivery.ts';
import { NoTurn } from '../process/keyed-semaphore.ts';
import type { Log } from '../process/log.ts';
import type { Gather, GatherSteps } from './gathering.service.ts';
import type { SendResult } from './mailer.service.ts';
import type { MessageSender } from './message-sender.service.ts';
import type { ChannelRef } from './notification-channel.ts';
import type {
  ClaimedNotification,
  NotificationsRepository,
  RecordedNotification,
} from './notifications.repository.ts';

interface NotifierDeps {
  notifications: Pick<NotificationsRepository, 'listDueChannels' | 'claim' | 'record' | 'release'>;
  gather: Gather;
  gatherSteps: GatherSteps;
  sender: MessageSender;
  /** Limits e-mails: `hasRoom` checks, `count` counts. */
  mails: {
    hasRoom(channel: ChannelRef): Promise<boolean>;
    count(claimed: ClaimedNotification): Promise<boolean>;
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

const UNSENDABLE: SendResult = {
  verdict: 'retry',
  statusCode: null,
  error: 'the service cannot send to this channel at present',
  durationMs: 0,
  retryAfterMs: null,
};

export function createNotifier(deps: NotifierDeps) {
  const { notifications, gather, sender, now, log } = deps;
  /** Channels that are being served, by organization. */
  const underWay = new Map<string, Set<string>>();
  const tasks = new Set<Promise<void>>();
  let isStopping = false;

  async function serve(channel: ChannelRef): Promise<void> {
    // Alerts wait while the limit of e-mails is reached, and the next message names them all.
    if (!(await deps.mails.hasRoom(channel))) return;
    // Quiet hours hold no steps of escalations.
    const isForEscalations = !(await gather(channel));
    await deps.gatherSteps(channel);
    while (!isStopping) {
      const claimed = await notifications.claim(channel, now(), {
        leaseSeconds: deps.leaseSeconds,
        isForEscalations,
      });
      if (!claimed) return;
      if (!(await deps.mails.count(claimed))) return notifications.release(claimed);
      await attempt(claimed);
      // Steps of many concurrent alerts may have arrived while this one was sent.
      if (claimed.isEscalation) await deps.gatherSteps(channel);
    }
  }

  async function attempt(claimed: ClaimedNotification): Promise<void> {
    const result = await send(claimed);
    if (result === null) return notifications.release(claimed);
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

  /**
   * Does nothing while the organization or the process is at its limit: the next poll finds the channel
   * again.
   */
  function start(channel: ChannelRef): void {
    const { organizationId, channelId } = channel;
    const ofOrganization = underWay.get(organizationId) ?? new Set();
    const isFull = ofOrganization.size >= PER_ORGANIZATION_MAX || tasks.size >= PER_PROCESS_MAX;
    if (isFull || ofOrganization.has(channelId)) return;
    underWay.set(organizationId, ofOrganization.add(channelId));
    const task: Promise<void> = serve(channel)
      .catch((err) =>
        log.warn({ err, channelId }, 'A notification channel was not served: it is tried again'),
      )
      .finally(() => {
        tasks.delete(task);
        ofOrganization.delete(channelId);
        if (ofOrganization.size === 0) underWay.delete(organizationId);
      });
    tasks.add(task);
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
      await Promise.all(tasks);
    },
  };
}
