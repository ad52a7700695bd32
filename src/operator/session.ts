/** Sessions at the operators' page, and how links and cookies identify them. */
import { createHash } from 'node:crypto';
import type { Role } from '../http/role.ts';
import type { Caller } from '../http/route.ts';
import { createSigner } from '../process/signer.ts';
import { ID_PATTERN } from '../process/uuid.ts';

export interface Session extends SessionRef {
  organizationName: string;
  /** Name of the person. */
  name: string;
  role: Role;
  /** The key that requested the link; null: the command line, an identity provider, or a person without a key. */
  keyId: string | null;
  /** The session without a key in which the link was made: the session of the link ends with it. */
  invitedBy?: string | null;
}

export interface SessionRef {
  organizationId: string;
  id: string;
}

export const LINK_MS = 10 * 60_000;
export const SESSION_MS = 12 * 3_600_000;
export const OPERATOR_NAME_MAX = 128;
export const OPERATOR_PATH = '/operator';

const LINK = new RegExp(`^(${ID_PATTERN})\\.(${ID_PATTERN})\\.([A-Za-z0-9_-]{43})$`);

/** The session that a link or a cookie names, with its proof. */
export interface Claim extends SessionRef {
  proof: string;
}

export const toToken = ({ organizationId, id, proof }: Claim): string => `${organizationId}.${id}.${proof}`;

export function parseToken(token: string): Claim | null {
  const [, organizationId, id, proof] = LINK.exec(token) ?? [];
  if (organizationId === undefined || id === undefined || proof === undefined) return null;
  return { organizationId, id, proof };
}

export const hashProof = (proof: string): Buffer => createHash('sha256').update(proof).digest();

export const toLink = (baseUrl: string, claim: Claim): string =>
  `${baseUrl}${OPERATOR_PATH}/sign-in?link=${toToken(claim)}`;

export function createCookieSigner(secretsKeys: Readonly<Record<number, Buffer>>) {
  const signer = createSigner(secretsKeys, 'operator session');
  const textOf = ({ organizationId, id }: SessionRef) => `${organizationId}.${id}`;
  return {
    sign: (ref: SessionRef): string => toToken({ ...ref, proof: signer.sign(textOf(ref)) }),
    /** Null if it was not signed here. */
    verify(cookie: string): SessionRef | null {
      const claim = parseToken(cookie);
      const isSigned = claim && signer.isSigned(textOf(claim), claim.proof);
      return isSigned ? { organizationId: claim.organizationId, id: claim.id } : null;
    },
  };
}

/** The name by which the limits of keys count a session. */
export const toKeyId = ({ id }: Pick<SessionRef, 'id'>): string => `operator:${id}`;

/** A session may do the same as a key with its role. */
export const toCaller = ({ organizationId, id, name, role, keyId }: Session): Caller => ({
  keyId: toKeyId({ id }),
  keyName: name,
  sessionId: id,
  actor: { keyId, name },
  organizationId,
  kind: 'customer',
  role,
  serialKey: null,
});
