/** The attempt that a browser keeps during a sign-in at the identity provider, signed against changes. */
import { createBoundedCache } from '../process/bounded-cache.ts';
import { createSigner } from '../process/signer.ts';

export interface SignInAttempt {
  state: string;
  nonce: string;
  /** PKCE: proves to the provider that the code returns to its requester. */
  verifier: string;
}

/** With the page that follows. */
interface SealedAttempt extends SignInAttempt {
  back: string;
}

const USED_MAX = 10_000;
export const ATTEMPT_MS = 10 * 60_000;

export function createAttemptSigner(secretsKeys: Readonly<Record<number, Buffer>>) {
  const signer = createSigner(secretsKeys, 'operator sign-in');
  /**
   * States of attempts that came back to this process; in another process, the provider refuses the used
   * code.
   */
  const used = createBoundedCache<string, true>(USED_MAX);
  return {
    seal(attempt: SealedAttempt, now: Date): string {
      const { state, nonce, verifier } = attempt;
      const back = Buffer.from(attempt.back).toString('base64url');
      const text = [now.getTime() + ATTEMPT_MS, state, nonce, verifier, back].join('.');
      return `${text}.${signer.sign(text)}`;
    },
    /** Null if it was not signed here, has expired, or was used before. */
    open(sealed: string, now: Date): SealedAttempt | null {
      const [until = '', state = '', nonce = '', verifier = '', back = '', proof = '', ...more] =
        sealed.split('.');
      const text = [until, state, nonce, verifier, back].join('.');
      const isSigned = signer.isSigned(text, proof);
      if (!isSigned || more.length > 0 || Number(until) <= now.getTime() || used.get(state)) return null;
      used.set(state, true);
      return { state, nonce, verifier, back: Buffer.from(back, 'base64url').toString() };
    },
  };
}
