/** The service behind PgBouncer in transaction mode. */
import assert from 'node:assert/strict';
import { openDatabase } from '../../src/db/database.ts';
import { findPoolerFault } from '../../src/db/pooler-check.ts';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  eventually,
  FRIDGE,
  register,
  sendTemperature,
} from '../support/fleet.ts';
import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { useReceiver } from '../support/receiver.ts';
import { newDatabase } from '../support/servers.ts';
import { useService } from '../support/service.ts';

describe('Behind PgBouncer in transaction mode', () => {
  let directUrl: string;
  let pgbouncer: PgBouncer;

  before(async function () {
    directUrl = await newDatabase();
    const started = await startPgBouncer(directUrl);
    if (started === null) {
      process.stderr.write(
        'PgBouncer is not installed (Debian: apt-get install pgbouncer): its tests are skipped\n',
      );
      return this.skip();
    }
    pgbouncer = started;
  });
  after(() => pgbouncer?.stop());

  const open = (url: string, pooler: 'none' | 'transaction', session = {}) =>
    openDatabase({ url, pooler, session, poolSize: 4, statementTimeoutMs: 5_000, applicationName: 'test' });

  describe('the service', () => {
    const receiver = useReceiver();
    const dms = useService(() => ({
      databaseUrl: pgbouncer.url,
      settings: { databaseDirectUrl: directUrl, databasePooler: 'transaction' },
    }));

    it('registers, applies, accepts readings and delivers events', async () => {
      await dms.api.post('/webhooks', { url: receiver.url, events: ['alert.created'] });
      const slug = await createProfile(dms, { slug: 'fridge', ...FRIDGE });
      const serials = Array.from({ length: 20 }, (_, index) => `POOLED-${index}`);
      for (const serial of serials) await register(dms, serial);
      const jobId = await apply(dms, slug, { serialNumbers: serials });
      await Promise.all(serials.map((serial) => applyAnswer(dms, serial)));
      await Promise.all(serials.map((serial) => sendTemperature(dms, serial, 12)));
      await receiver.until(serials.length);
      const { body } = await eventually(
        () => dms.api.get(`/devices/config-jobs/${jobId}`),
        (answer) => answer.body.status === 'succeeded',
      );
      assert.equal(body.counts.applied, serials.length);
    });

    it('bounds each transaction as on a direct connection', async () => {
      const settings = await createTransact(dms.service.sql)(({ sql }) =>
        query<{ name: string; setting: string }>(
          sql,
          `select name, setting from pg_settings where name in
             ('idle_in_transaction_session_timeout', 'client_connection_check_interval', 'statement_timeout') order by 1`,
        ),
      );
      assert.deepEqual(
        settings.map(({ setting }) => setting),
        ['10000', '10000', '60000'],
      );
    });
  });

  it('sends the settings of a pool with single statements, and leaves none behind', async () => {
    const [set, plain] = [
      open(pgbouncer.url, 'transaction', { enable_seqscan: 'off' }),
      open(pgbouncer.url, 'transaction'),
    ];
    const read = (sql: typeof set) => query(sql, 'show enable_seqscan');
    assert.deepEqual(await read(set), [{ enable_seqscan: 'off' }]);
    assert.deepEqual(await read(plain), [{ enable_seqscan: 'on' }]);
    await assert.rejects(query(set, 'select 1 / 0'), /division by zero/);
    assert.deepEqual(await read(set), [{ enable_seqscan: 'off' }]);
    await Promise.all([set.destroy(), plain.destroy()]);
  });

  it('names the missing settings when the pooler is not configured', async () => {
    const unaware = open(pgbouncer.url, 'none');
    assert.match(
      (await findPoolerFault(unaware, 'none')) ?? '',
      /set DATABASE_POOLER=transaction .*DATABASE_DIRECT_URL/,
    );
    await unaware.destroy();
  });

  it('finds no fault in a direct connection', async () => {
    const direct = open(directUrl, 'none');
    assert.equal(await findPoolerFault(direct, 'none'), null);
    await direct.destroy();
  });
});
