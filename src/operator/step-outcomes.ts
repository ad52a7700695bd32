/** Outcomes of the messages of a step, beside the step in the history of its alert. */
import { labelOfChannel, type NamedChannel, nameOfChannel } from '../notifications/notification-channel.ts';
import type { Answers } from './answers.ts';

type Entry = Answers['getAlert']['history'][number];

export interface StepMessage {
  channelId: string;
  state: 'pending' | 'sent' | 'failed';
  /** Null: the latest attempt succeeded, or there was none. */
  error: string | null;
  nextAttemptAt: Date | null;
  madeAt: Date;
}

/** A message that has not arrived. */
export interface StepTrouble {
  /** Name or address. */
  channel: string;
  state: 'pending' | 'failed';
  error: string | null;
  nextAttemptAt: Date | null;
}

/** Step and message are made in one transaction, by two clocks. */
const CLOCKS_MS = 1_000;

/**
 * The latest message to each channel of the step that the entry records, as of then, if it has not arrived. Two
 * steps that were gathered share a message.
 */
export function troublesOf(
  { at, comment }: Pick<Entry, 'at' | 'comment'>,
  messages: readonly StepMessage[],
  channels: readonly NamedChannel[],
): StepTrouble[] {
  const madeMs = new Date(at).getTime();
  return channels.flatMap((channel) => {
    const own = messages.filter(
      ({ channelId, madeAt }) => channelId === channel.id && madeAt.getTime() <= madeMs + CLOCKS_MS,
    );
    const latest = own.at(-1);
    if (!latest || latest.state === 'sent') return [];
    // The channel may have another name by now, and a gathered step has no message of its own.
    const isOwn = latest.madeAt.getTime() >= madeMs - CLOCKS_MS;
    if (!isOwn && !isNamed(comment ?? '', channel)) return [];
    const { state, error, nextAttemptAt } = latest;
    return [{ channel: labelOfChannel(channel), state, error, nextAttemptAt }];
  });
}

/** A name may hold commas, so the comment is not split. */
function isNamed(comment: string, channel: NamedChannel): boolean {
  const names = `, ${comment.replace(/^[^:]*: /, '')}, `;
  return [nameOfChannel(channel), nameOfChannel({ ...channel, name: null })].some((name) =>
    names.includes(`, ${name}, `),
  );
}
