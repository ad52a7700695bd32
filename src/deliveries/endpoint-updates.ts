/** How an operator steers the run of an endpoint in the Temporal UI: what each update does, and when it is refused. */
import type { RecoveryView } from './endpoint-recovery.ts';

export const RETRY_NOW = {
  name: 'retryNow',
  description: 'Sends a probe now, or all that waits for a retry when the receiver answers others',
} as const;

export const GIVE_UP = {
  name: 'giveUp',
  description: 'Disables the webhook: deliveries are held until its customer enables it again',
} as const;

/** The reason, or null. The state is the one that the run read last; null: it has read none yet. */
export function whyNotRetried(state: RecoveryView | null): string | null {
  if (state && state.next.kind !== 'wait') return 'The run is not waiting: it is sending already';
  return null;
}
