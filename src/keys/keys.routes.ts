import type { Database } from '../db/database.ts';
import { shownAs } from '../http/audit.ts';
import { created, noContent, ok, pageOf, type Route, route } from '../http/route.ts';
import { idParams, listQuery } from '../http/schemas.ts';
import { keyView } from './api-key.ts';
import type { KeysRepository } from './keys.repository.ts';
import { createdKeySchema, createKeyBody, keyListSchema, keySchema } from './keys.schemas.ts';
import type { KeysService } from './keys.service.ts';

const tag = 'Keys';
const role = 'admin' as const;

interface KeysRoutesDeps {
  keys: KeysRepository;
  keysIn(sql: Database): KeysRepository;
  service: KeysService;
}

export function keysRoutes({ keys, keysIn, service }: KeysRoutesDeps): Route[] {
  const shown = shownAs(
    keySchema,
    (sql, organizationId, id) => keysIn(sql).findOwn(organizationId, id),
    keyView,
  );
  return [
    route({
      method: 'GET',
      path: '/keys',
      operationId: 'listKeys',
      summary: 'List API keys, newest first',
      description:
        'Keys of customers and of devices, expired ones too. Deleted keys are left out, and tokens of single devices.',
      tag,
      role,
      query: listQuery,
      responses: { 200: keyListSchema },
      async handle({ caller, query: { limit, cursor: before = null } }) {
        const found = await keys.listOwn(caller.organizationId, { before, limit: limit + 1 });
        return ok(pageOf(found, limit, ({ id }) => id, keyView));
      },
    }),
    route({
      method: 'POST',
      path: '/keys',
      operationId: 'createKey',
      summary: 'Create an API key',
      description:
        'The key itself is in this answer and in no other. It works at once, for its kind and role. An organization has at most 100 keys, beside the tokens of single devices; 409 beyond, and for kind device where the organization requires a token of each device.',
      tag,
      role,
      body: createKeyBody,
      responses: { 201: createdKeySchema },
      errors: [409],
      answersSecret: true,
      audit: { subject: ({ id }) => id, shown },
      async handle({ caller, body, transact }) {
        const { token, ...key } = await service.create(transact, caller.organizationId, body);
        return created({ ...keyView(key), key: token });
      },
    }),
    route({
      method: 'DELETE',
      path: '/keys/{keyId}',
      operationId: 'deleteKey',
      summary: 'Delete an API key',
      description:
        'Every process refuses it within 5 seconds. 409 for the last key with the role admin that is still valid.',
      tag,
      role,
      params: idParams('keyId'),
      responses: { 204: null },
      errors: [404, 409],
      audit: { subject: 'keyId', shown },
      async handle({ caller, params: { keyId }, transact }) {
        await service.remove(transact, caller.organizationId, keyId);
        return noContent();
      },
    }),
  ];
}
