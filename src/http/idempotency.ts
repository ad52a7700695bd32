/**
 * Idempotency-Key: the answer is stored in the transaction of the request, so a repeat finds both the change and the
 * answer, or neither. A refusal (404, 409) is stored too, while the changes of its handler are rolled back.
 */
import { createHash } from 'node:crypto';
import { joinTransaction, type Transact, type Transaction } from '../db/transaction.ts';
import { AppError, invalid } from '../process/errors.ts';
import { renderError } from './render-error.ts';
import type { Reply } from './route.ts';

export interface StoredAnswer {
  status: number;
  /** JSON; empty: none. */
  body: string;
  location: string | null;
}

export const toStored = ({ status, body, headers }: Reply): StoredAnswer => ({
  status,
  body: body === undefined ? '' : JSON.stringify(body),
  location: headers?.Location ?? null,
});

export interface IdempotencyRequest {
  organizationId: string;
  key: string;
  /**
   * A hash of the method, path, query and body bytes as sent, and of the caller's key if the answer holds a
   * secret. It must be the same under one Idempotency-Key.
   */
  fingerprint: Buffer;
}

/** Stores answers in the transaction of the request. */
export interface IdempotencyStore {
  /** False while another request uses the same key. */
  lock(tx: Transaction, request: IdempotencyRequest): Promise<boolean>;
  find(
    tx: Transaction,
    request: IdempotencyRequest,
  ): Promise<{ fingerprint: Buffer; answer: StoredAnswer } | null>;
  insert(tx: Transaction, request: IdempotencyRequest, answer: StoredAnswer): Promise<void>;
}

export type WithIdempotency = (
  request: IdempotencyRequest,
  run: (transact: Transact) => Promise<Reply>,
) => Promise<StoredAnswer & { replayed: boolean }>;

/** Message while another request uses the same key. */
export const STILL_RUNNING = 'A request with this Idempotency-Key is still running';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Returns the key as a hash, since a caller may have chosen a secret. @throws invalid */
export function idempotencyKey(header: string): string {
  if (!KEY.test(header)) throw invalid('Idempotency-Key must be 1 to 255 visible ASCII characters');
  return createHash('sha256').update(header).digest('base64url');
}

/** With `keyId`, equal requests of different API keys have different fingerprints. */
export function fingerprintOf(method: string, url: string, body: Buffer, keyId = ''): Buffer {
  return createHash('sha256').update(`${method} ${url}\n`).update(body).update(keyId).digest();
}

export function createIdempotency(
  store: IdempotencyStore,
  transactFor: (organizationId: string) => Transact,
): WithIdempotency {
  return (request, run) =>
    transactFor(request.organizationId)(async (tx) => {
      if (!(await store.lock(tx, request))) {
        throw new AppError('conflict', STILL_RUNNING, {
          headers: { 'Retry-After': '1' },
        });
      }
      const stored = await store.find(tx, request);
      if (stored && !stored.fingerprint.equals(request.fingerprint)) {
        throw new AppError(
          'idempotency_mismatch',
          'This Idempotency-Key was used with another method, path or body: take a new key for a new request',
        );
      }
      if (stored) return { ...stored.answer, replayed: true };
      const answer = await answerOf(run, tx);
      await store.insert(tx, request, answer);
      return { ...answer, replayed: false };
    });
}

async function answerOf(run: (transact: Transact) => Promise<Reply>, tx: Transaction): Promise<StoredAnswer> {
  try {
    return toStored(await run(joinTransaction(tx)));
  } catch (error) {
    const { status, body } = renderError(error);
    if (status !== 404 && status !== 409) throw error;
    return { status, body: JSON.stringify(body), location: null };
  }
}
