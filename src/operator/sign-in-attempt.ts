/** What a browser keeps while somebody is at the identity provider, signed so that it comes back as it was. */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

export interface SignInAttempt {
  state: string;
  nonce: string;
  /** PKCE: proves to the provider that the code comes back to who asked for it. */
  verifier: string;
}

export const ATTEMPT_MS = 10 * 60_000;

export function createAttemptSigner(secretsKeys: Readonly<Record<number, Buffer>>) {
  const newestFirst = Object.keys(secretsKeys)
    .map(Number)
    .sort((a, b) => b - a)
    .map((id) => Buffer.from(hkdfSync('sha256', secretsKeys[id] as Buffer, '', 'operator sign-in', 32)));
  const sign = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  return {
    seal(attempt: SignInAttempt, now: Date): string {
      const { state, nonce, verifier } = attempt;
      const text = [now.getTime() + ATTEMPT_MS, state, nonce, verifier].join('.');
      return `${text}.${sign(newestFirst[0] as Buffer, text).toString('base64url')}`;
    },
    /** Null when nobody here has signed it, or too long ago. */
    open(sealed: string, now: Date): SignInAttempt | null {
      const [until = '', state = '', nonce = '', verifier = '', proof = '', ...more] = sealed.split('.');
      const given = Buffer.from(proof, 'base64url');
      const text = [until, state, nonce, verifier].join('.');
      const isSigned = newestFirst.some((key) => isSame(given, sign(key, text)));
      return isSigned && more.length === 0 && Number(until) > now.getTime()
        ? { state, nonce, verifier }
        : null;
    },
  };
}

const isSame = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b);
