/**
 * Merges waiting steps of escalations on a channel into fewer messages, so that a thousand alerts at once do
 * not notify somebody a thousand times, and stay within the limit of e-mails. Every alert is named. An
 * attempted message stays as it is, so that a repeat is the same message.
 */
import type { Database } from '../db/database.ts';
import type { Transact } from '../db/transaction.ts';
import { mergeSteps, NAMED_MAX } from './message.ts';
import type { ChannelRef } from './notification-channel.ts';
import type { NotificationsRepository } from './notifications.repository.ts';

export interface StepGatheringDeps {
  transact: Transact;
  notificationsIn(sql: Database): Pick<NotificationsRepository, 'lockSteps' | 'replaceSteps'>;
}

/** Messages of one transaction; further ones are merged the next time. */
const MESSAGES_MAX = 50;

export type GatherSteps = (channel: ChannelRef) => Promise<void>;

export const createStepGathering =
  ({ transact, notificationsIn }: StepGatheringDeps): GatherSteps =>
  (ref) =>
    transact(async ({ sql }) => {
      let after: string | null = null;
      for (let made = 0; made < MESSAGES_MAX; made++) {
        const steps = await notificationsIn(sql).lockSteps(ref, { after, limit: NAMED_MAX });
        const [first] = steps;
        if (!first || (steps.length === 1 && after === null)) return;
        const { message, count } = mergeSteps(steps.map(({ content }) => content));
        const merged = steps.slice(1, count).map(({ id }) => id);
        if (merged.length > 0) await notificationsIn(sql).replaceSteps(ref, first.id, message, merged);
        after = steps[count - 1]?.id ?? null;
        if (steps.length < NAMED_MAX && count === steps.length) return;
      }
    });
