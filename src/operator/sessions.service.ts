/** Links that sign in once, and the sessions that they begin. */
import { randomBytes } from 'node:crypto';
import type { Database } from '../db/database.ts';
import {
  type Claim,
  type createCookieSigner,
  hashProof,
  LINK_MS,
  parseToken,
  SESSION_MS,
  type Session,
  type SessionRef,
} from './session.ts';
import type { SessionsRepository } from './sessions.repository.ts';

export interface SessionsDeps {
  sessions: SessionsRepository;
  cookies: ReturnType<typeof createCookieSigner>;
  /** @throws when the session sends too many requests. A signature is valid longer than its session. */
  admit(session: SessionRef): void;
  now(): Date;
}

export type LinkRequest = Omit<Session, 'id' | 'organizationName'>;

const PROOF_BYTES = 32;

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions({ sessions, cookies, admit, now }: SessionsDeps) {
  return {
    /** The session of a link that can still be used. */
    async findLink(token: string): Promise<Session | null> {
      const claim = parseToken(token);
      return claim && sessions.findLink(claim, hashProof(claim.proof), now());
    },

    /** Returns the cookie; null when the link was used, has expired or does not exist. */
    async signIn(token: string): Promise<{ session: Session; cookie: string } | null> {
      const claim = parseToken(token);
      const at = now();
      const until = new Date(at.getTime() + SESSION_MS);
      const session = claim && (await sessions.start(claim, hashProof(claim.proof), { now: at, until }));
      return session && { session, cookie: cookies.sign(session) };
    },

    async find(cookie: string | undefined): Promise<Session | null> {
      const ref = cookie === undefined ? null : cookies.verify(cookie);
      if (!ref) return null;
      admit(ref);
      return sessions.findActive(ref, now());
    },

    isActive: async (session: SessionRef): Promise<boolean> =>
      (await sessions.findActive(session, now())) !== null,

    signOut: sessions.remove,
  };
}

export interface LinkIssuerDeps {
  sessionsIn(sql: Database): Pick<SessionsRepository, 'newId' | 'insert'>;
  now(): Date;
}

export interface IssuedLink extends Claim {
  expiresAt: Date;
}

export const createLinkIssuer =
  ({ sessionsIn, now }: LinkIssuerDeps) =>
  async (sql: Database, request: LinkRequest): Promise<IssuedLink> => {
    const { organizationId } = request;
    const proof = randomBytes(PROOF_BYTES).toString('base64url');
    const expiresAt = new Date(now().getTime() + LINK_MS);
    const sessions = sessionsIn(sql);
    const id = await sessions.newId();
    await sessions.insert({ invitedBy: null, ...request, id, hash: hashProof(proof), expiresAt });
    return { organizationId, id, proof, expiresAt };
  };
