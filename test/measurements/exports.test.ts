/** Tables of measurements that are read slowly, or many at once, do not delay others. */
import assert from 'node:assert/strict';
import pg from 'pg';
import { HOUR_MS } from '../../src/process/durations.ts';
import { createLog } from '../../src/process/log.ts';
import { signIn, visit } from '../operator/visitor.ts';
import type { Answer, Client } from '../support/client.ts';
import { eventually, register } from '../support/fleet.ts';
import { countLockWaits } from '../support/lock-waits.ts';
import { startService, type TestService, useService } from '../support/service.ts';
import { type SlowReader, startSlowReader } from '../support/slow-reader.ts';
import { insertReadings } from './stored-readings.ts';

const TRANSFERS = {
  poolSize: 4,
  /**
   * Three for each organization, because each has to fill the buffers of its socket, which takes processor
   * time.
   */
  exports: { perKeyMax: 2, perProcessMax: 6 },
  uploads: { perKeyMax: 1, perProcessMax: 1 },
  downloads: { perKeyMax: 1, perProcessMax: 1 },
};
const READINGS = 100_000;
/** Length of one line. */
const BYTES_MIN = 80;
const CSV = { headers: { accept: 'text/csv' } };

const pathOf = (assetId: string) => `/assets/${assetId}/measurements`;
const exported = (api: Client, assetId: string): Promise<Answer> => api.get(pathOf(assetId), CSV);

/** An asset with this many readings. */
async function measured(dms: TestService, count: number): Promise<string> {
  const assetId = await register(dms, `READINGS-${count}`);
  await insertReadings(dms.service.sql, { organizationId: dms.id, assetId, count });
  await dms.service.sql.raw('analyze measurement_blocks');
  return assetId;
}

describe('Exports of measurements', () => {
  let assetId: string;
  let shortId: string;
  let readers: SlowReader[];
  let aheadMs = 0;
  const logged: string[] = [];

  const dms = useService({
    withWorker: false,
    now: () => new Date(Date.now() + aheadMs),
    log: createLog('warn', { write: (line: string) => void logged.push(line) }),
    settings: { databasePoolSize: 4, writeTimeoutMs: HOUR_MS, transfers: TRANSFERS },
  });
  before(async () => {
    assetId = await measured(dms, READINGS);
    shortId = await measured(dms, READINGS / 100);
  });
  beforeEach(() => {
    readers = [];
  });
  afterEach(() => {
    for (const reader of readers) reader.stop();
  });

  const newToken = async () => (await dms.issueKey(dms.id, 'customer')).token;
  function read(token: string, baseUrl = dms.baseUrl): SlowReader {
    const reader = startSlowReader(baseUrl, {
      path: pathOf(assetId),
      token,
      headers: { Accept: 'text/csv' },
    });
    readers.push(reader);
    return reader;
  }

  it('leaves the connections to other requests while exports wait for the database', async () => {
    const blocker = new pg.Client(dms.settings.databaseUrl);
    blocker.on('error', () => {});
    await blocker.connect();
    await blocker.query('begin; lock table measurement_blocks');
    const tokens = await Promise.all(Array.from({ length: 8 }, newToken));
    let refused = 0;
    const waiting = tokens.map(async (token) => {
      const answer = await exported(dms.with(token), shortId);
      if (answer.status === 429) refused++;
      return answer;
    });
    await eventually(
      async () => [refused, await countLockWaits(dms.service.sql)] as const,
      ([refusals, inDatabase]) => refusals === 5 && inDatabase > 0,
    );
    for (let round = 0; round < 5; round++) {
      assert.equal((await dms.api.get('/assets')).status, 200);
    }
    await blocker.query('rollback');
    await blocker.end();
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [200, 200, 200, 429, 429, 429, 429, 429]);
  });

  it('limits exports per key and per organization with 429, until others have ended, and spares other organizations', async () => {
    const [first, second] = await Promise.all([newToken(), newToken()]);
    const running = [first, first, second].map((each) => read(each));
    assert.deepEqual(await Promise.all(running.map(({ status }) => status)), Array(3).fill(200));
    for (const api of [dms.with(first), dms.with(second), dms.api]) {
      const { status, headers } = await exported(api, assetId);
      assert.deepEqual([status, headers['retry-after']], [429, '5']);
    }
    const other = await dms.addOrganization();
    assert.equal((await exported(other.api, await register(other, 'OTHER'))).status, 200);
    const ofExports = logged.filter((line) => line.includes('listMeasurements'));
    assert.deepEqual(ofExports, [], 'who is refused does not write the log');
    const page = await dms.with(first).get(pathOf(assetId));
    assert.equal(page.status, 200, 'pages are no exports');
    for (const reader of running) reader.stop();
    const whole = await eventually(
      () => exported(dms.with(first), assetId),
      ({ status }) => status === 200,
    );
    assert.ok(whole.bytes.length > READINGS * BYTES_MIN);
    for (let round = 0; round < 3; round++)
      assert.equal((await exported(dms.with(first), shortId)).status, 200, 'what has ended counts no more');
  });

  it('ends exports that are not read for a time, which then no longer count', async () => {
    const settings = { writeTimeoutMs: 2_000, transfers: TRANSFERS };
    const { databaseUrl } = dms.settings;
    const impatient = await startService({ withWorker: false, databaseUrl, settings });
    const token = await newToken();
    const running = [1, 2].map(() => read(token, impatient.baseUrl));
    assert.deepEqual(await Promise.all(running.map(({ status }) => status)), [200, 200]);
    await eventually(
      () => exported(impatient.with(token), shortId),
      ({ status }) => status === 200,
    );
    const taken = await Promise.all(running.map((reader) => reader.readOn()));
    assert.ok(
      taken.some(({ bytes }) => bytes < READINGS * BYTES_MIN),
      'one was cut off',
    );
    await impatient.stop();
  });

  it('ends an export without its end when its key was deleted meanwhile', async () => {
    const { id, token } = await dms.issueKey(dms.id, 'customer');
    const reader = read(token);
    assert.equal(await reader.status, 200);
    assert.equal((await dms.api.delete(`/keys/${id}`)).status, 204);
    aheadMs += 5_000;
    const { bytes, text } = await reader.readOn();
    assert.ok(bytes < READINGS * BYTES_MIN, `${bytes} bytes`);
    assert.doesNotMatch(text.slice(-8), /0\r\n\r\n$/, 'the last chunk');
  });

  it('ends a file of the page without its end when its person signed out meanwhile', async () => {
    const cookie = await signIn(dms, { now: () => new Date(Date.now() + aheadMs) });
    const span = `from=${new Date(0).toISOString()}&to=2100-01-01T00:00:00Z`;
    const reader = startSlowReader(dms.baseUrl, {
      path: `/operator/exports?step=download&serialNumbers=READINGS-${READINGS}&${span}`,
      headers: { Cookie: cookie },
    });
    readers.push(reader);
    assert.equal(await reader.status, 200);
    await visit(`${dms.baseUrl}/operator/sign-out`, { cookie, form: {} });
    aheadMs += 5_000;
    const { bytes, text } = await reader.readOn();
    assert.match(text, /Content-Type: text\/csv/i);
    assert.ok(bytes < READINGS * BYTES_MIN, `${bytes} bytes`);
    assert.doesNotMatch(text.slice(-8), /0\r\n\r\n$/, 'the last chunk');
  });

  it('holds no connection between two chunks', async () => {
    const token = await newToken();
    const running = [1, 2].map(() => read(token));
    await Promise.all(running.map(({ status }) => status));
    await eventually(
      async () => {
        const { rows } = await dms.service.sql.raw(
          `select count(*) from pg_stat_activity
           where datname = current_database() and application_name like '%transfers' and state <> 'idle'`,
        );
        return Number(rows[0].count);
      },
      (count) => count === 0,
    );
  });
});
