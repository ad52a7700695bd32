/** Outcomes of the messages of a step, beside the step in the history of its alert. */
import { NO_CHANNEL } from '../escalations/escalation-view.ts';
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
export interface StepTrouble extends Pick<StepMessage, 'error' | 'nextAttemptAt'> {
  /** Name or address. */
  channel: string;
  state: 'pending' | 'failed';
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

/** The channels that the step has notified, under their present names; others as the step named them. */
export function labelsOfStep(comment: string, channels: readonly NamedChannel[]): string[] {
  let others = namesIn(comment);
  const labels = channels.flatMap((channel) => {
    const name = spellingsOf(channel).find((each) => others.includes(each));
    if (name === undefined) return [];
    others = others.replace(name, SEPARATOR);
    return [labelOfChannel(channel)];
  });
  const left = others.split(SEPARATOR).filter((name) => name !== '' && name !== NO_CHANNEL);
  return [...labels, ...left];
}

const isNamed = (comment: string, channel: NamedChannel): boolean =>
  spellingsOf(channel).some((name) => namesIn(comment).includes(name));

const SEPARATOR = ', ';

/** A name may hold commas, so the comment is not split. */
const namesIn = (comment: string): string => `${SEPARATOR}${comment.replace(/^[^:]*: /, '')}${SEPARATOR}`;
const spellingsOf = (channel: NamedChannel): string[] =>
  [channel, { ...channel, name: null }].map((each) => `${SEPARATOR}${nameOfChannel(each)}${SEPARATOR}`);
