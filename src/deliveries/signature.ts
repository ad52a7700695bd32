/** Standard Webhooks 1.0.0: `v1,<base64 HMAC-SHA256 of id.timestamp.body>`, one per secret, separated by spaces. */
import { createHmac } from 'node:crypto';
import { toSigningKey } from '../endpoints/endpoint-secret.ts';

interface SignedContent {
  id: string;
  timestampSeconds: number;
  body: string;
}

/** Value of the `webhook-signature` header. */
export function sign({ id, timestampSeconds, body }: SignedContent, secrets: readonly string[]): string {
  const content = `${id}.${timestampSeconds}.${body}`;
  return secrets
    .map((secret) => `v1,${createHmac('sha256', toSigningKey(secret)).update(content).digest('base64')}`)
    .join(' ');
}
