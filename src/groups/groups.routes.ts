import { NO_SUCH_GROUP } from '../assets/asset.ts';
import type { Database } from '../db/database.ts';
import { shownAs } from '../http/audit.ts';
import type { ConcurrencyLimit } from '../http/concurrency-limit.ts';
import { created, noContent, ok, pageOf, type Route, route } from '../http/route.ts';
import { idParams, listQuery } from '../http/schemas.ts';
import { orNotFound } from '../process/errors.ts';
import { changedGroupView, groupView } from './group.ts';
import type { GroupsRepository } from './groups.repository.ts';
import {
  addedMembersSchema,
  changedGroupSchema,
  changeGroupBody,
  changeGroupQuery,
  createGroupBody,
  groupListSchema,
  groupSchema,
  membersBody,
  removedMembersSchema,
} from './groups.schemas.ts';
import type { GroupsService } from './groups.service.ts';
import type { Membership } from './membership.service.ts';

interface GroupsRoutesDeps {
  groups: Pick<GroupsRepository, 'list' | 'find'>;
  groupsIn(sql: Database): Pick<GroupsRepository, 'find'>;
  service: GroupsService;
  membership: Pick<Membership, 'add' | 'remove'>;
  /** Shared with dry runs and applies to all devices. */
  limit: ConcurrencyLimit;
}

const tag = 'Groups';
const path = '/groups';
const itemPath = `${path}/{groupId}`;
const params = idParams('groupId');

/** An entry of the audit trail counts all devices, and names this many, because a page has up to 500 entries. */
const NAMED_IN_AUDIT_MAX = 1_000;
/** Enough for a thousand serial numbers of 16 characters; the longest have 64. */
const NAMES_LENGTH_MAX = 16_000;

export function groupsRoutes({ groups, groupsIn, service, membership, limit }: GroupsRoutesDeps): Route[] {
  const shown = shownAs(
    groupSchema,
    (sql, organizationId, id) => groupsIn(sql).find(organizationId, id),
    groupView,
  );
  return [
    route({
      method: 'GET',
      path,
      operationId: 'listGroups',
      summary: 'List groups, newest first',
      description: 'The members of a group are in GET /assets?groupId=….',
      tag,
      query: listQuery,
      responses: { 200: groupListSchema },
      async handle({ caller, query: { limit, cursor: before = null } }) {
        const found = await groups.list(caller.organizationId, { before, limit: limit + 1 });
        return ok(pageOf(found, limit, ({ id }) => id, groupView));
      },
    }),
    route({
      method: 'POST',
      path,
      operationId: 'createGroup',
      summary: 'Create a group',
      description:
        'With a profile, every device that joins the group and does not run the profile gets a job. 409 when a group has the name, compared without case.',
      tag,
      body: createGroupBody,
      responses: { 201: groupSchema },
      errors: [404, 409],
      audit: { subject: ({ id }) => id, shown },
      async handle({ caller, body, transact }) {
        const group = await service.add(transact, caller.organizationId, body);
        return created(groupView(group), { Location: `${path}/${group.id}` });
      },
    }),
    route({
      method: 'GET',
      path: itemPath,
      operationId: 'getGroup',
      summary: 'Get a group',
      description: 'With the number of its members.',
      tag,
      params,
      responses: { 200: groupSchema },
      errors: [404],
      async handle({ caller, params: { groupId } }) {
        const group = orNotFound(await groups.find(caller.organizationId, groupId), NO_SUCH_GROUP);
        return ok(groupView(group));
      },
    }),
    route({
      method: 'PATCH',
      path: itemPath,
      operationId: 'updateGroup',
      summary: 'Change a group, or bring its profile to all members',
      description:
        'A profile that is named is offered to every member that does not run it, in one job; name it again after it was changed, or after other profiles were applied to members. A member that refused it waits for a retry of its job. What is still open of the profile that the group had before is withdrawn.',
      tag,
      params,
      query: changeGroupQuery,
      body: changeGroupBody,
      responses: { 200: changedGroupSchema },
      errors: [404, 409],
      idempotent: true,
      audit: {
        subject: 'groupId',
        shown,
        isChange: ({ preview }) => preview === undefined,
      },
      async handle({ caller, params: { groupId }, query, body, transact }) {
        const change = () =>
          (query.dryRun ? service.preview : service.change)(transact, caller.organizationId, groupId, body);
        const isForMembers = query.dryRun || body.profileSlug !== undefined;
        return ok(changedGroupView(await (isForMembers ? limit.run(caller, change) : change())));
      },
    }),
    route({
      method: 'DELETE',
      path: itemPath,
      operationId: 'deleteGroup',
      summary: 'Delete a group',
      description: 'All members leave it: what is still open of its profile is withdrawn from them.',
      tag,
      params,
      responses: { 204: null },
      errors: [404],
      audit: { subject: 'groupId', shown },
      async handle({ caller, params: { groupId }, transact }) {
        await service.remove(transact, caller.organizationId, groupId);
        return noContent();
      },
    }),
    route({
      method: 'POST',
      path: `${itemPath}/add-members`,
      operationId: 'addGroupMembers',
      summary: 'Let devices join a group',
      description:
        'All or none. Each leaves the group that it was in, and those that do not run the profile of the group get a job.',
      tag,
      params,
      body: membersBody,
      responses: { 200: addedMembersSchema },
      errors: [404],
      audit: {
        subject: 'groupId',
        after: ({ added, serialNumbers, jobId }) => ({
          added,
          serialNumbers: namedInAudit(serialNumbers),
          jobId,
        }),
        isChange: ({ added }) => added > 0,
      },
      async handle({ caller, params: { groupId }, body: { serialNumbers }, transact }) {
        const joined = await membership.add(transact, caller.organizationId, groupId, serialNumbers);
        return ok({ ...joined, added: joined.serialNumbers.length });
      },
    }),
    route({
      method: 'POST',
      path: `${itemPath}/remove-members`,
      operationId: 'removeGroupMembers',
      summary: 'Let devices leave a group',
      description:
        'All or none. What is still open of the profile of the group is withdrawn; devices that are not in it are left alone.',
      tag,
      params,
      body: membersBody,
      responses: { 200: removedMembersSchema },
      errors: [404],
      audit: {
        subject: 'groupId',
        after: ({ removed, serialNumbers }) => ({
          removed,
          serialNumbers: namedInAudit(serialNumbers),
        }),
        isChange: ({ removed }) => removed > 0,
      },
      async handle({ caller, params: { groupId }, body: { serialNumbers }, transact }) {
        const left = await membership.remove(transact, caller.organizationId, groupId, serialNumbers);
        return ok({ removed: left.length, serialNumbers: left });
      },
    }),
  ];
}

function namedInAudit(serialNumbers: string[]): string[] {
  const named: string[] = [];
  let length = 0;
  for (const serialNumber of serialNumbers.slice(0, NAMED_IN_AUDIT_MAX)) {
    length += serialNumber.length;
    if (length > NAMES_LENGTH_MAX) break;
    named.push(serialNumber);
  }
  return named;
}
