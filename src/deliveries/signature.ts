/** Standard Webhooks 1.0.0: `v1,<base64 HMAC-SHA256 of id.timestamp.body>`, one per secret, separated by spaces. */
import { createHmac } from 'node:crypto';

export interface Signed {
  id: string;
  timestampSeconds: number;
  body: string;
}

const BASE64_PREFIX = 'whsec_';

export function signaturesOf({ id, timestampSeconds, body }: Signed, secrets: readonly string[]): string {
  const content = `${id}.${timestampSeconds}.${body}`;
  return secrets
    .map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(content).digest('base64')}`)
    .join(' ');
}

/** `whsec_…` is base64, any other secret its UTF-8 bytes. */
function keyOf(secret: string): Buffer {
  return secret.startsWith(BASE64_PREFIX)
    ? Buffer.from(secret.slice(BASE64_PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8');
}
