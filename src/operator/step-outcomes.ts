/** Outcomes of the messages of a step, beside the step in the history of its alert. */
import type { Answers, ChannelView } from './answers.ts';

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
  target: string;
  state: 'pending' | 'failed';
  error: string | null;
  nextAttemptAt: Date | null;
}

/** Step and message are made in one transaction, by two clocks. */
const CLOCKS_MS = 1_000;

/**
 * The latest message to each channel that the entry names, as of its step, if it has not arrived. Two steps
 * that were gathered share a message.
 */
export function troublesOf(
  { at, comment }: Pick<Entry, 'at' | 'comment'>,
  messages: readonly StepMessage[],
  channels: ReadonlyArray<Pick<ChannelView, 'id' | 'type' | 'target'>>,
): StepTrouble[] {
  const names = (comment ?? '').replace(/^[^:]*: /, '').split(', ');
  const until = new Date(at).getTime() + CLOCKS_MS;
  return channels
    .filter(({ type, target }) => names.includes(`${type} ${target}`))
    .flatMap(({ id, target }) => {
      const latest = messages.findLast(
        ({ channelId, madeAt }) => channelId === id && madeAt.getTime() <= until,
      );
      if (!latest || latest.state === 'sent') return [];
      const { state, error, nextAttemptAt } = latest;
      return [{ target, state, error, nextAttemptAt }];
    });
}
