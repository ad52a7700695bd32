/** Operations that keys of each role may call, over the service's own list of routes. */
import assert from 'node:assert/strict';
import { ROLES, type Role } from '../../src/http/role.ts';
import type { Route } from '../../src/http/route.ts';
import type { Client } from '../support/client.ts';
import { call, type Fixtures, forEvery, pathOf, populate } from '../support/operations.ts';
import { useService } from '../support/service.ts';

/** By operationId; all others need read for GET, and write for the rest. */
const ADMINS_ONLY = ['listKeys', 'listOperatorSessions', 'createKey', 'deleteKey', 'endOperatorSession'];

const mayCall = (role: Role, { operationId, method }: Route): boolean => {
  if (role === 'admin') return true;
  if (ADMINS_ONLY.includes(operationId)) return false;
  return role === 'write' || method === 'GET';
};

describe('The role of a key', () => {
  const dms = useService({ withWorker: false });
  let routes: Route[];
  let fixtures: Fixtures;
  const clients = {} as Record<Role, Client>;

  before(async () => {
    routes = dms.service.routes.filter(({ auth }) => auth === 'customer');
    fixtures = await populate(dms);
    for (const role of ROLES) {
      const { token } = await dms.issueKey(dms.id, 'customer', role);
      clients[role] = dms.with(token);
    }
  });

  for (const role of ROLES) {
    it(`decides which operations a key with the role ${role} may call`, () =>
      forEvery(routes, async (route) => {
        // Sends an unknown parameter: a caller with the role gets an error about it, and nothing changes.
        const path = `${pathOf(route, fixtures)}?unknown=1`;
        const { status } = await call(dms, route, fixtures, { client: clients[role], path });
        assert.equal(status, mayCall(role, route) ? 400 : 403, `${role} ${route.operationId}`);
      }));
  }

  it('checks the role before the shape of the request, and answers with the common error body', async () => {
    const raw = { raw: '{', headers: { 'content-type': 'text/plain' } };
    const { status, body } = await clients.read.post('/keys?unknown=1', undefined, raw);
    assert.equal(status, 403);
    assert.deepEqual(body, {
      success: false,
      message: 'This operation needs an API key with the role admin',
    });
  });

  it('checks the role after the route and the key', async () => {
    assert.equal((await clients.read.delete('/assets')).status, 405);
    assert.equal((await dms.with(null).post('/keys', {})).status, 401);
  });

  it('requires the role write for a dry run', async () => {
    const path = `/devices/config-profiles/${fixtures.slug}/apply?dryRun=true`;
    const body = { serialNumbers: [fixtures.serial] };
    assert.equal((await clients.read.put(path, body)).status, 403);
    assert.equal((await clients.write.put(path, body)).status, 200);
  });
});
