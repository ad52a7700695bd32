import type { AttemptResult } from '../deliveries/delivery.ts';

/** Result of one attempt to send a message. */
export type SendResult = Pick<
  AttemptResult,
  'verdict' | 'statusCode' | 'error' | 'durationMs' | 'retryAfterMs'
>;
