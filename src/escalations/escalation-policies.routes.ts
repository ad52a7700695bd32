import type { Database } from '../db/database.ts';
import { shownAs } from '../http/audit.ts';
import { created, noContent, ok, pageOf, type Route, route } from '../http/route.ts';
import { idParams, listQuery } from '../http/schemas.ts';
import { orNotFound } from '../process/errors.ts';
import type { PoliciesRepository } from './escalation-policies.repository.ts';
import {
  changePolicyBody,
  createPolicyBody,
  policyListSchema,
  policySchema,
} from './escalation-policies.schemas.ts';
import type { PoliciesService } from './escalation-policies.service.ts';
import { NO_SUCH_POLICY, policyView } from './escalation-policy.ts';

interface PoliciesRoutesDeps {
  policies: Pick<PoliciesRepository, 'list' | 'find'>;
  policiesIn(sql: Database): Pick<PoliciesRepository, 'find'>;
  service: PoliciesService;
}

const tag = 'Escalations';
const path = '/escalations';
const itemPath = `${path}/{escalationId}`;
const params = idParams('escalationId');

export function escalationPoliciesRoutes({ policies, policiesIn, service }: PoliciesRoutesDeps): Route[] {
  const shown = shownAs(
    policySchema,
    (sql, organizationId, policyId) => policiesIn(sql).find({ organizationId, policyId }),
    policyView,
  );
  return [
    route({
      method: 'GET',
      path,
      operationId: 'listEscalations',
      summary: 'List escalations, newest first',
      description: 'An alert escalates by the oldest active one that matches it.',
      tag,
      query: listQuery,
      responses: { 200: policyListSchema },
      async handle({ caller, query: { limit, cursor: before = null } }) {
        const found = await policies.list(caller.organizationId, { before, limit: limit + 1 });
        return ok(pageOf(found, limit, ({ id }) => id, policyView));
      },
    }),
    route({
      method: 'POST',
      path,
      operationId: 'createEscalation',
      summary: 'Create an escalation',
      description:
        'Alerts that open from now on and match it are notified step by step, until somebody acknowledges them or they are over. Steps keep to no types, groups, delay, reminder or quiet hours of their channels. A channel that is named in a step notifies by itself only of alerts that the escalation does not match. 409 when there are 100 escalations already.',
      tag,
      body: createPolicyBody,
      responses: { 201: policySchema },
      errors: [404, 409],
      audit: { subject: ({ id }) => id, shown },
      async handle({ caller, body, transact }) {
        const policy = await service.add(transact, caller.organizationId, body);
        return created(policyView(policy), { Location: `${path}/${policy.id}` });
      },
    }),
    route({
      method: 'GET',
      path: itemPath,
      operationId: 'getEscalation',
      summary: 'Get an escalation',
      description: 'What escalates by it at present is in GET /alerts, as escalation.id.',
      tag,
      params,
      responses: { 200: policySchema },
      errors: [404],
      async handle({ caller: { organizationId }, params: { escalationId: policyId } }) {
        const policy = orNotFound(await policies.find({ organizationId, policyId }), NO_SUCH_POLICY);
        return ok(policyView(policy));
      },
    }),
    route({
      method: 'PATCH',
      path: itemPath,
      operationId: 'updateEscalation',
      summary: 'Change an escalation',
      description:
        'What is left out stays. Types, severities and groups decide about alerts that open from then on; steps that are not made yet follow the change at once, and when it is disabled they are not made.',
      tag,
      params,
      body: changePolicyBody,
      responses: { 200: policySchema },
      errors: [404],
      audit: { subject: 'escalationId', shown },
      async handle({ caller: { organizationId }, params: { escalationId: policyId }, body, transact }) {
        return ok(policyView(await service.change(transact, { organizationId, policyId }, body)));
      },
    }),
    route({
      method: 'DELETE',
      path: itemPath,
      operationId: 'deleteEscalation',
      summary: 'Delete an escalation',
      description: 'Steps that are not made yet are not made.',
      tag,
      params,
      responses: { 204: null },
      errors: [404],
      audit: { subject: 'escalationId', shown },
      async handle({ caller: { organizationId }, params: { escalationId: policyId }, transact }) {
        await service.remove(transact, { organizationId, policyId });
        return noContent();
      },
    }),
  ];
}
