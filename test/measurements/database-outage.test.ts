import assert from 'node:assert/strict';
import { request } from 'undici';
import { register } from '../support/fleet.ts';
import { newDatabase } from '../support/servers.ts';
import { useService } from '../support/service.ts';
import { useTcpProxy } from '../support/tcp-proxy.ts';
import { insertReadings } from './stored-readings.ts';

/** More than the buffers of the sockets hold. */
const READINGS = 200_000;

describe('While the database is away', () => {
  const proxy = useTcpProxy(newDatabase);
  const dms = useService(() => ({ withWorker: false, databaseUrl: proxy.url }));
  let assetId: string;

  before(async () => {
    assetId = await register(dms, 'LOGGER');
  });

  it('breaks the connection when the database goes away while a CSV table is sent', async () => {
    await insertReadings(dms.service.sql, { organizationId: dms.id, assetId, count: READINGS });
    const { token } = await dms.issueKey(dms.id, 'customer');
    const { body, statusCode } = await request(`${dms.baseUrl}/assets/${assetId}/measurements`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/csv' },
    });
    assert.equal(statusCode, 200);
    const chunks = body[Symbol.asyncIterator]();
    await chunks.next();
    proxy.cut();
    await assert.rejects(async () => {
      for (let next = await chunks.next(); !next.done; ) next = await chunks.next();
    }, /terminated|aborted|other side closed/);
  });
});
