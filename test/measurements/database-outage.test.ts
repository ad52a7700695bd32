import assert from 'node:assert/strict';
import { request } from 'undici';
import { MEASUREMENTS } from '../../migrations/partitioned-tables.ts';
import { createPartitionKeeper } from '../../src/db/partitions.ts';
import { query } from '../../src/db/query.ts';
import { register } from '../support/fleet.ts';
import { newDatabase } from '../support/servers.ts';
import { useService } from '../support/service.ts';
import { useTcpProxy } from '../support/tcp-proxy.ts';

/** One each second, back to the month before in the first days of a month. */
const READINGS = 200_000;

describe('While the database is away', () => {
  const proxy = useTcpProxy(newDatabase);
  const dms = useService(() => ({ withWorker: false, databaseUrl: proxy.url }));
  let assetId: string;

  before(async () => {
    assetId = await register(dms, 'LOGGER');
  });

  it('breaks the connection when the database goes away while a CSV table is sent', async () => {
    await createPartitionKeeper(dms.service.sql, MEASUREMENTS).ensure([
      new Date(Date.now() - READINGS * 1_000),
      new Date(),
    ]);
    await query(
      dms.service.sql,
      `insert into measurement_blocks
         (organization_id, asset_id, first_at, last_at, received_at, channel, type, scale, late, steps)
       select ?, ?, now() - make_interval(secs => g), now() - make_interval(secs => g), now(), 2, 1, 0, false, '{1}'
       from generate_series(1, ${READINGS}) g`,
      [dms.id, assetId],
    );
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
