/** Verifies requests to a webhook by Standard Webhooks 1.0.0. */
import type { webhooks } from './generated/openapi.ts';

/** The payload of every event of the service, by `type`. */
export type WebhookEvent = {
  [Type in keyof webhooks]: webhooks[Type] extends {
    post: { requestBody: { content: { 'application/json': infer Payload } } };
  }
    ? Payload
    : never;
}[keyof webhooks];

export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
}

export interface WebhookRequest {
  headers: Headers | Record<string, string | string[] | undefined>;
  /** The body as received, because JSON that was parsed and written again has another signature. */
  body: string | ArrayBuffer | ArrayBufferView;
}

export interface VerifyOptions {
  /** Tolerance for its timestamp. Default: 5 minutes. */
  toleranceSeconds?: number;
  now?: Date;
}

/**
 * Proves that the service sent the request recently, and returns its event. Drop events whose `webhook-id`
 * you have seen.
 * @throws WebhookVerificationError for any other request.
 */
export async function verifyWebhook(
  { headers, body }: WebhookRequest,
  secret: string,
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  ) as [string, string, string];
  const apart = Math.abs(now.getTime() / 1_000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || apart > toleranceSeconds) {
    throw new WebhookVerificationError('webhook-timestamp is too far from now: a replay, or a wrong clock');
  }
  const bytes = toBytes(body);
  const key = await importKey(secret);
  const signed = concat(utf8.encode(`${id}.${timestamp}.`), bytes);
  const expected = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
  const isSigned = signatures.split(' ').some((signature) => isSame(readSignature(signature), expected));
  if (!isSigned) {
    throw new WebhookVerificationError('webhook-signature does not match: another secret, or another body');
  }
  return toEvent(bytes);
}

const utf8 = new TextEncoder();

function toBytes(body: unknown): Uint8Array {
  if (typeof body === 'string') return utf8.encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  throw new WebhookVerificationError('the body is neither text nor bytes: give it as it was received');
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

/** Takes the same time wherever the two differ. */
function isSame(given: Uint8Array | null, expected: Uint8Array): boolean {
  if (given?.length !== expected.length) return false;
  let difference = 0;
  for (const [index, byte] of expected.entries()) difference |= byte ^ (given[index] as number);
  return difference === 0;
}

function toEvent(bytes: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new WebhookVerificationError('the body is no JSON');
  }
}

function headerOf(headers: WebhookRequest['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : find(headers ?? {}, name);
  if (typeof value !== 'string') throw new WebhookVerificationError(`${name} is missing`);
  return value;
}

const find = (headers: Record<string, string | string[] | undefined>, name: string) =>
  Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];

/** `whsec_` is followed by base64; any other secret is its UTF-8 bytes. */
function importKey(secret: string): ReturnType<typeof crypto.subtle.importKey> {
  const bytes = secret.startsWith('whsec_') ? fromBase64(secret.slice('whsec_'.length)) : utf8.encode(secret);
  if (!bytes || bytes.length === 0)
    throw new WebhookVerificationError('the secret is empty, or no base64 after whsec_');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}

function readSignature(text: string): Uint8Array<ArrayBuffer> | null {
  const [version, encoded] = text.split(',');
  return version === 'v1' && encoded !== undefined ? fromBase64(encoded) : null;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
