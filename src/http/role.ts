/** Roles of customer keys; each includes those after it. */
export const ROLES = ['admin', 'write', 'read'] as const;
export type Role = (typeof ROLES)[number];

export const includesRole = (role: Role, needed: Role): boolean =>
  ROLES.indexOf(role) <= ROLES.indexOf(needed);
