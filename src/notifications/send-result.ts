import type { AttemptResult } from '../deliveries/delivery.ts';

/** What came of one attempt to send a message. */
export type SendResult = Pick<
  AttemptResult,
  'verdict' | 'statusCode' | 'error' | 'durationMs' | 'retryAfterMs'
>;
