/** Maps the claims of an identity provider to an organization and a role. */

import { isOneLine, isVisible, toName } from '../http/one-line.ts';
import { ROLES, type Role } from '../http/role.ts';
import { cutText } from '../process/cut-text.ts';
import { OPERATOR_NAME_MAX } from './session.ts';

/** The names of the claims. A name with dots finds a nested one, such as `realm_access.roles`. */
export interface IdentityRules {
  organizationClaim: string;
  roleClaim: string;
}

export interface Identity {
  /** Names of organizations; the first existing one counts. */
  organizations: string[];
  role: Role;
  /** Name of the person. */
  name: string;
}

export type Claims = Record<string, unknown>;

/** The greatest role in the claim; without one, read. */
export function toIdentity(claims: Claims, { organizationClaim, roleClaim }: IdentityRules): Identity {
  const named = textsOf(claims, roleClaim);
  return {
    organizations: textsOf(claims, organizationClaim),
    role: ROLES.find((role) => named.includes(role)) ?? 'read',
    name: nameOf(claims),
  };
}

function nameOf(claims: Claims): string {
  const texts = ['name', 'preferred_username', 'email', 'sub'].flatMap((claim) => textsOf(claims, claim));
  return cutText(texts.map(toName).find((text) => text !== '') ?? 'unknown', OPERATOR_NAME_MAX).trimEnd();
}

/** A claim is a text or a list of texts. */
const textsOf = (claims: Claims, name: string): string[] =>
  [findClaim(claims, name)]
    .flat()
    .filter((value) => typeof value === 'string' && isOneLine(value) && isVisible(value)) as string[];

function findClaim(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? (value as Claims)[part]
          : undefined,
      claims,
    );
}
