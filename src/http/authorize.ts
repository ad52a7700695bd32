/** The role of a customer key decides which operations it may call. Device keys have no role. */
import { AppError } from '../process/errors.ts';
import { includesRole, ROLES, type Role } from './role.ts';
import { type Caller, neededRole, type Route } from './route.ts';

/** Refuses callers whose role does not include the one required by the operation. */
export function requireRole(definition: Route): (caller: Caller) => void {
  const needed = neededRole(definition);
  return ({ role }) => {
    if (needed === null || (role !== null && includesRole(role, needed))) return;
    throw new AppError('forbidden', `This operation needs an API key with the role ${rolesFor(needed)}`);
  };
}

const rolesFor = (needed: Role) => ROLES.filter((role) => includesRole(role, needed)).join(' or ');
