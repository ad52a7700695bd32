/**
 * Secrets that sign deliveries: `whsec_` and base64, or any other text (Standard Webhooks 1.0.0, signature scheme). The
 * signature is `v1,<base64 HMAC-SHA256 of id.timestamp.body>`, one per secret, separated by spaces.
 */
import { createHmac } from 'node:crypto';
import type { EndpointRef } from './endpoint.ts';
import type { SecretBox } from './secret-box.ts';

export const SECRET_LENGTH_MIN = 16;
export const SECRET_LENGTH_MAX = 128;
export const BASE64_SECRET_PREFIX = 'whsec_';

/**
 * The fault of a secret of a valid length, phrased to follow the name of its field; never quotes the secret.
 */
export function secretFault(secret: string): string | null {
  if (/\p{Cc}/u.test(secret)) return 'must hold no control characters';
  const base64 = toBase64Part(secret);
  if (base64 === null || isCanonicalBase64(base64)) return null;
  return `must be padded base64 after ${BASE64_SECRET_PREFIX}`;
}

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

/** The key of the signature: the decoded bytes after `whsec_`, the UTF-8 bytes of any other secret. */
function toSigningKey(secret: string): Buffer {
  const base64 = toBase64Part(secret);
  return base64 === null ? Buffer.from(secret, 'utf8') : Buffer.from(base64, 'base64');
}

/**
 * The secrets to sign with, the current one first; empty when the endpoint has none.
 * @throws when one cannot be opened.
 */
export function openSecrets(
  secretBox: SecretBox,
  { organizationId, endpointId }: EndpointRef,
  { secret, previousSecret }: { secret: Buffer | null; previousSecret: Buffer | null },
): string[] {
  return [secret, previousSecret]
    .filter((sealed) => sealed !== null)
    .map((sealed) => secretBox.open(sealed, { organizationId, rowId: endpointId }));
}

const toBase64Part = (secret: string): string | null =>
  secret.startsWith(BASE64_SECRET_PREFIX) ? secret.slice(BASE64_SECRET_PREFIX.length) : null;

/** Base64 has one canonical form, which all decoders of receivers agree on. */
const isCanonicalBase64 = (text: string) => Buffer.from(text, 'base64').toString('base64') === text;
