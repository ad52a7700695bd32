import { toId } from '../http/audit.ts';
import { ok, pageOf, type Route, route } from '../http/route.ts';
import type { AuditRepository } from './audit.repository.ts';
import { auditListSchema, listAuditQuery } from './audit.schemas.ts';
import { auditEntryView, subjectKeys } from './audit.ts';
import type { SubjectsRepository } from './subjects.repository.ts';

export function auditRoutes(audit: Pick<AuditRepository, 'list'>, subjects: SubjectsRepository): Route[] {
  return [
    route({
      method: 'GET',
      path: '/audit',
      operationId: 'listAudit',
      summary: 'List who changed what, newest first',
      description:
        'One entry for every change by a customer key, a person, the command line or the Temporal UI, with what GET showed before and after. A refused request has none, and a dry run neither.',
      tag: 'Audit',
      query: listAuditQuery,
      responses: { 200: auditListSchema },
      async handle({ caller, query }) {
        const { actor = null, subject, from = null, to = null, limit, cursor: before = null } = query;
        const found = await audit.list(caller.organizationId, {
          actor,
          subject: subject === undefined ? null : toId(subject),
          from,
          to,
          before,
          limit: limit + 1,
        });
        const named = await subjects.list(caller.organizationId, subjectKeys(found));
        return ok(
          pageOf(
            found,
            limit,
            ({ id }) => id,
            (entry) => auditEntryView(entry, named),
          ),
        );
      },
    }),
  ];
}
