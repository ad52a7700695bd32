/**
 * Since when devices could be heard without a gap. A device that nobody could hear is not silent: after an outage of
 * ours it gets as long as it had before.
 */
export type ListenerName = 'api' | 'gateway' | 'worker';

/** A kind of process, whatever number of them runs. */
export interface Listener {
  name: string;
  /** When it began, or came back after its last gap. */
  since: Date;
  seenAt: Date;
}

/** A way in that stays shut for longer is told like any silence: the goods are not watched, whoever's fault it is. */
const FORGIVEN_MS = 3_600_000;

export function listeningSince(listeners: Listener[], now: Date, gapMs: number): Date {
  const sinces = listeners.flatMap(({ since, seenAt }) => {
    const unseenMs = now.getTime() - seenAt.getTime();
    if (unseenMs > FORGIVEN_MS) return [];
    return unseenMs > gapMs ? [now.getTime()] : [since.getTime()];
  });
  return new Date(Math.max(0, ...sinces));
}
