export { ApiError } from './api-error.ts';
export { type CallOptions, type Client, type ClientOptions, createClient } from './client.ts';
export { ConnectionError } from './connection-error.ts';
export type { components } from './generated/openapi.ts';
export { type ConfigJob, type WaitOptions, waitUntilApplied } from './jobs.ts';
export type { Arguments, OperationId, Result } from './operation-types.ts';
export { each } from './pages.ts';
export type { RetryPolicy } from './retry.ts';
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookRequest,
  WebhookVerificationError,
} from './webhook.ts';
