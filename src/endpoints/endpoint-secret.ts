/** Secrets that sign deliveries: `whsec_` and base64, or any other text (Standard Webhooks 1.0.0, signature scheme). */
export const SECRET_LENGTH_MIN = 16;
export const SECRET_LENGTH_MAX = 128;

const BASE64_PREFIX = 'whsec_';

/** What is wrong with a secret of the right length, to be read after its field's name; it never quotes the secret. */
export function secretFault(secret: string): string | null {
  if (/\p{Cc}/u.test(secret)) return 'must hold no control characters';
  if (!secret.startsWith(BASE64_PREFIX) || isBase64(secret.slice(BASE64_PREFIX.length))) return null;
  return `must be padded base64 after ${BASE64_PREFIX}`;
}

/** Only the one spelling that every receiver's decoder takes for the same bytes. */
const isBase64 = (text: string) => Buffer.from(text, 'base64').toString('base64') === text;
