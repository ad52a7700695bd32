/** Idempotency-Key: each sentence of docs/contract.md about it, over HTTP. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { query } from '../../src/db/query.ts';
import { idempotencyKey, STILL_RUNNING } from '../../src/http/idempotency.ts';
import { createOperations } from '../../src/http/operations.ts';
import { type Route, takesIdempotencyKey } from '../../src/http/route.ts';
import { AppError } from '../../src/process/errors.ts';
import type { Answer, Client } from '../support/client.ts';
import { databaseContents, untilJobsStarted } from '../support/database-contents.ts';
import { configOf, createProfile, eventually, FRIDGE, register } from '../support/fleet.ts';
import { whileLocked } from '../support/lock-waits.ts';
import {
  call,
  exampleBody,
  type Fixtures,
  forEvery,
  pathOf,
  populate,
  removingLast,
  takesJson,
} from '../support/operations.ts';
import { startService, useService } from '../support/service.ts';

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
const isReplay = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true';

describe('Idempotency-Key', () => {
  const dms = useService({ withWorker: false });
  let api: Client;
  let taking: Route[];
  let key: string;
  let serialNumber: string;
  let made = 0;

  before(async () => {
    api = dms.api;
    taking = removingLast(dms.service.routes.filter(takesIdempotencyKey));
    await createProfile(dms, FRIDGE);
  });
  beforeEach(() => {
    key = randomUUID();
    serialNumber = `ONCE-${++made}`;
  });

  const sql = <Row = never>(text: string, bindings: unknown[] = []) =>
    query<Row>(dms.service.sql, text, bindings);
  const contents = () => databaseContents(dms.service.sql);
  const registerOnce = (body: object = { serialNumber }) => api.post('/assets', body, keyed(key));
  const applyOnce = (body: object, path = '/devices/config-profiles/vaccine-fridge/apply') =>
    api.put(path, body, keyed(key));

  async function countOf(serial: string): Promise<number> {
    const rows = await sql('select 1 from assets where serial_number = ?', [serial]);
    return rows.length;
  }

  async function age(interval: string): Promise<void> {
    await sql('update idempotency_keys set created_at = now() - ?::interval where key = ?', [
      interval,
      idempotencyKey(key),
    ]);
  }

  /** The valid request of a route, as a function that can be called repeatedly. */
  function requestOf(route: Route, fixtures: Fixtures) {
    const body = takesJson(route) ? exampleBody(route, fixtures) : undefined;
    const path = pathOf(route, fixtures);
    // `call` supplies bodies that are not JSON.
    return route.rawBody ? { path } : { path, body };
  }

  describe('the key', () => {
    it('accepts keys of 1 to 255 visible ASCII characters', async () => {
      for (const good of ['!', '~'.repeat(255), 'a"b\\c{}']) {
        const { status } = await api.post('/assets', { serialNumber: `ONCE-${++made}` }, keyed(good));
        assert.equal(status, 201, good);
      }
    });

    it('answers 400 to any other key and changes nothing', async () => {
      const fixtures = await populate(dms);
      await untilJobsStarted(dms.service.sql);
      const before = await contents();
      await forEvery(taking, async (route) => {
        for (const bad of ['', 'a'.repeat(256), 'a b', 'a\tb', 'caf\u00e9']) {
          const { status } = await call(dms, route, fixtures, { options: keyed(bad) });
          assert.equal(status, 400, JSON.stringify(bad));
        }
      });
      assert.deepEqual(await contents(), before);
    });

    it('accepts the key in every POST of customers except webhook tests, and where else a repeat has another answer, as documented', async () => {
      const named = taking.map(({ operationId }) => operationId).sort();
      const posts = dms.service.routes.filter(
        ({ method, auth, path }) => method === 'POST' && auth === 'customer' && !path.endsWith('/test'),
      );
      const others = ['applyProfile', 'acknowledgeAlert', 'updateGroup', 'archiveAsset'];
      assert.deepEqual(named, [...posts.map(({ operationId }) => operationId), ...others].sort());
      const { body: document } = await api.get('/openapi.json');
      const documented = Object.values<Record<string, { operationId: string; parameters: [] }>>(
        document.paths,
      ).flatMap((operations) =>
        Object.values(operations)
          .filter(({ parameters }) => parameters.some(({ name }) => name === 'Idempotency-Key'))
          .map(({ operationId }) => operationId),
      );
      assert.deepEqual(documented.sort(), named);
    });

    it('ignores the key in operations that are idempotent anyway', async () => {
      const slug = await createProfile(dms, { slug: `repeat-${made}`, ...FRIDGE });
      for (const name of ['One', 'Two']) {
        const answer = await api.put(`/devices/config-profiles/${slug}`, { name }, keyed(key));
        assert.deepEqual([answer.status, answer.body.profile.name, isReplay(answer)], [200, name, false]);
      }
    });
  });

  describe('a repeated request', () => {
    it('replays status and body of every operation with Idempotent-Replayed, and changes nothing', async () => {
      const fixtures = await populate(dms);
      await forEvery(taking, async (route) => {
        const request = requestOf(route, fixtures);
        const options = keyed(randomUUID());
        const first = await call(dms, route, fixtures, { ...request, options });
        await untilJobsStarted(dms.service.sql);
        const before = await contents();
        const second = await call(dms, route, fixtures, { ...request, options });
        assert.deepEqual([isReplay(first), isReplay(second)], [false, true]);
        assert.deepEqual([second.status, second.text], [first.status, first.text]);
        assert.equal(second.headers['content-type'], first.headers['content-type']);
        assert.equal(second.headers.location, first.headers.location);
        assert.deepEqual(await contents(), before);
      });
    });

    it('applies a profile once for two equal requests', async () => {
      await register(dms, serialNumber);
      const answers = [1, 2, 3].map(() => applyOnce({ serialNumbers: [serialNumber] }));
      await Promise.all(answers);
      const { body } = await applyOnce({ serialNumbers: [serialNumber] });
      const jobs = await sql(
        'select 1 from config_targets t join assets a on a.id = t.asset_id where a.serial_number = ?',
        [serialNumber],
      );
      assert.equal(jobs.length, 1);
      const { body: offered } = await dms.device.get(`/devices/${serialNumber}/pending-config`);
      assert.equal(offered.revision, 1);
      assert.equal((await api.get(`/devices/config-jobs/${body.jobId}`)).status, 200);
    });

    it('replays the first answer even after changes', async () => {
      const first = await registerOnce();
      await api.delete(`/assets/${first.body.id}`);
      const second = await registerOnce();
      assert.deepEqual([second.status, second.body, isReplay(second)], [201, first.body, true]);
      assert.equal((await api.get(`/assets/${first.body.id}`)).status, 404);
    });

    it('replays the answer to every API key of the organization', async () => {
      const first = await registerOnce();
      const { token } = await dms.issueKey(dms.id, 'customer');
      const second = await dms.with(token).post('/assets', { serialNumber }, keyed(key));
      assert.deepEqual([second.body, isReplay(second)], [first.body, true]);
    });

    it('replays answers that hold a secret only to the API key that asked', async () => {
      const [admin, writer] = [
        await dms.issueKey(dms.id, 'customer', 'admin'),
        await dms.issueKey(dms.id, 'customer', 'write'),
      ].map(({ token }) => dms.with(token));
      const { body: asset } = await registerOnce();
      const { body: webhook } = await api.post('/webhooks', { url: 'http://127.0.0.1:9/' });
      for (const [path, body] of [
        [`/assets/${asset.id}/device-token`, undefined],
        ['/operator-links', { name: 'Ada' }],
        [`/webhooks/${webhook.id}/rotate-secret`, undefined],
      ] as const) {
        const headers = keyed(`${key}-${path.length}`);
        const first = await admin?.post(path, body, headers);
        const again = await admin?.post(path, body, headers);
        assert.deepEqual([Number(first?.status) < 300, again?.body], [true, first?.body], path);
        assert.equal((await writer?.post(path, body, headers))?.status, 422, path);
      }
    });

    it('treats the same Idempotency-Key of another organization as a different one', async () => {
      const first = await registerOnce();
      const other = await dms.addOrganization();
      const second = await other.api.post('/assets', { serialNumber }, keyed(key));
      assert.deepEqual([second.status, isReplay(second)], [201, false]);
      assert.notEqual(second.body.id, first.body.id);
    });
  });

  describe('another request with the same key', () => {
    async function mismatch(send: () => Promise<Answer>): Promise<void> {
      await untilJobsStarted(dms.service.sql);
      const before = await contents();
      const { status, body } = await send();
      assert.equal(status, 422);
      assert.match(body.message, /Idempotency-Key/);
      assert.deepEqual(await contents(), before);
    }

    it('answers 422 to the same key with another body', async () => {
      await registerOnce();
      await mismatch(() => registerOnce({ serialNumber, name: 'Another' }));
    });

    it('answers 422 to the same JSON in other bytes', async () => {
      await registerOnce();
      const spaced = { ...keyed(key), raw: `{ "serialNumber": "${serialNumber}" }` };
      await mismatch(() => api.post('/assets', undefined, spaced));
    });

    it('answers 422 to the same key with another path', async () => {
      const one = await register(dms, `${serialNumber}-1`);
      const two = await register(dms, `${serialNumber}-2`);
      const replace = (id: string) =>
        api.post(`/assets/${id}/replace-hardware`, { newSerialNumber: serialNumber }, keyed(key));
      assert.equal((await replace(one)).status, 200);
      await mismatch(() => replace(two));
    });

    it('answers 422 to the same key with another query', async () => {
      await register(dms, serialNumber);
      const path = '/devices/config-profiles/vaccine-fridge/apply';
      assert.equal((await applyOnce({ serialNumbers: [serialNumber] }, `${path}?dryRun=true`)).status, 200);
      await mismatch(() => applyOnce({ serialNumbers: [serialNumber] }));
    });

    it('answers 422 to the same key with another method and path', async () => {
      await register(dms, serialNumber);
      assert.equal((await applyOnce({ serialNumbers: [serialNumber] })).status, 200);
      await mismatch(() => registerOnce({ serialNumber: `${serialNumber}-OTHER` }));
    });

    it('still replays the first answer after a 422', async () => {
      const first = await registerOnce();
      await registerOnce({ serialNumber, name: 'Another' });
      const again = await registerOnce();
      assert.deepEqual([again.body, isReplay(again)], [first.body, true]);
    });
  });

  describe('concurrent requests', () => {
    /** Runs the work while the table is locked against writes. */
    async function holding(table: string, work: () => Promise<void>): Promise<void> {
      await dms.service.sql.transaction(async (trx) => {
        await query(trx, `lock table ${table} in exclusive mode`);
        await work();
      });
    }

    it('answers 409 with Retry-After while the first request is running', async () => {
      let both: Promise<Answer>[] = [];
      await holding('assets', async () => {
        both = [registerOnce(), registerOnce()];
        const { status, headers, body } = await Promise.race(both);
        assert.equal(status, 409);
        assert.match(body.message, /still running/);
        assert.equal(headers['retry-after'], '1');
      });
      const first = (await Promise.all(both)).find(({ status }) => status === 201);
      const replayed = await registerOnce();
      assert.deepEqual([replayed.status, replayed.body, isReplay(replayed)], [201, first?.body, true]);
    });

    it('creates one asset for fifty concurrent requests with the same key', async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => registerOnce()));
      const done = answers.filter(({ status }) => status === 201);
      assert.deepEqual(
        answers.filter(({ status, body }) => status !== 201 && !/still running/.test(body.message)),
        [],
      );
      assert.equal(done.filter((answer) => !isReplay(answer)).length, 1);
      assert.equal(new Set(done.map(({ body }) => body.id)).size, 1);
      assert.equal(await countOf(serialNumber), 1);
    });

    it('reads the rows of an import before the transaction of its key', async () => {
      const lock = 'lock table idempotency_keys in access exclusive mode';
      const answer = await whileLocked(dms.service.sql, lock, () =>
        api.post('/assets/import', undefined, { ...keyed(key), raw: '{}' }),
      );
      assert.deepEqual([answer.status, answer.body.message], [400, 'The body must be a list of devices']);
    });

    it('does not block requests with other keys', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          api.post('/assets', { serialNumber: `${serialNumber}-${index}` }, keyed(`${key}-${index}`)),
        ),
      );
      assert.deepEqual(
        answers.map(({ status }) => status),
        Array(20).fill(201),
      );
    });
  });

  describe('a refused request', () => {
    it('stores and replays a 404', async () => {
      const first = await applyOnce({ serialNumbers: [serialNumber] });
      await register(dms, serialNumber);
      const second = await applyOnce({ serialNumbers: [serialNumber] });
      assert.deepEqual([first.status, isReplay(first)], [404, false]);
      assert.deepEqual([second.status, second.text, isReplay(second)], [404, first.text, true]);
      assert.equal((await configOf(dms, serialNumber)).pendingConfig, null);
    });

    it('stores and replays a 409', async () => {
      const taken = await register(dms, serialNumber);
      const first = await registerOnce();
      await api.delete(`/assets/${taken}`);
      const second = await registerOnce();
      assert.deepEqual([first.status, isReplay(first)], [409, false]);
      assert.deepEqual([second.status, second.text, isReplay(second)], [409, first.text, true]);
    });

    it('rolls back everything that a refused request had changed', async () => {
      const id = await register(dms, serialNumber);
      const taken = `${serialNumber}-TAKEN`;
      await register(dms, taken);
      const path = `/assets/${id}/replace-hardware`;
      assert.equal((await api.post(path, { newSerialNumber: taken }, keyed(key))).status, 409);
      const { body } = await api.get(`/assets/${id}`);
      assert.deepEqual([body.serialNumber, body.replacementHistory], [serialNumber, []]);
    });

    it('stores no 400, so the corrected request may use the key', async () => {
      assert.equal((await registerOnce({ serialNumber: '' })).status, 400);
      const answer = await registerOnce();
      assert.deepEqual([answer.status, isReplay(answer)], [201, false]);
    });

    it('stores no 400 of a domain rule either', async () => {
      const id = await register(dms, serialNumber);
      const replace = (newSerialNumber: string) =>
        api.post(`/assets/${id}/replace-hardware`, { newSerialNumber }, keyed(key));
      assert.equal((await replace(serialNumber)).status, 400);
      const answer = await replace(`${serialNumber}-NEW`);
      assert.deepEqual([answer.status, isReplay(answer)], [200, false]);
    });

    it('stores neither a 401 nor a 415', async () => {
      assert.equal((await dms.with(null).post('/assets', { serialNumber }, keyed(key))).status, 401);
      const text = { raw: '{}', headers: { ...keyed(key).headers, 'content-type': 'text/plain' } };
      assert.equal((await api.post('/assets', undefined, text)).status, 415);
      const answer = await registerOnce();
      assert.deepEqual([answer.status, isReplay(answer)], [201, false]);
    });

    it('stores no 500, and rolls back the failed request', async () => {
      await sql('alter table device_configs add constraint broken check (false) not valid');
      try {
        assert.equal((await registerOnce()).status, 500);
      } finally {
        await sql('alter table device_configs drop constraint broken');
      }
      assert.equal(await countOf(serialNumber), 0);
      const answer = await registerOnce();
      assert.deepEqual([answer.status, isReplay(answer)], [201, false]);
    });

    it('rolls back the request when its answer cannot be stored', async () => {
      await sql('alter table idempotency_keys add constraint broken check (false) not valid');
      try {
        assert.equal((await registerOnce()).status, 500);
      } finally {
        await sql('alter table idempotency_keys drop constraint broken');
      }
      assert.equal(await countOf(serialNumber), 0);
    });
  });

  describe('retention', () => {
    it('replays an answer shortly before it is 24 hours old', async () => {
      await registerOnce();
      await age('23 hours 59 minutes');
      assert.equal(isReplay(await registerOnce()), true);
    });

    it('accepts another request under the key after 24 hours, and replays that one', async () => {
      await registerOnce();
      await age('24 hours 1 second');
      const other = { serialNumber: `${serialNumber}-LATER` };
      const first = await registerOnce(other);
      const second = await registerOnce(other);
      assert.deepEqual([first.status, isReplay(first)], [201, false]);
      assert.deepEqual([second.body, isReplay(second)], [first.body, true]);
    });

    it('removes answers from the database after 24 hours and not before, however many there are', async () => {
      await registerOnce();
      await age('25 hours');
      // More rows than one statement removes.
      await sql(
        `insert into idempotency_keys (organization_id, key, fingerprint, status_code, body, created_at)
         select organization_id, key || number, '', 201, '', created_at
         from idempotency_keys, generate_series(1, 2500) as number where key = ?`,
        [idempotencyKey(key)],
      );
      const old = `${idempotencyKey(key)}%`;
      key = randomUUID();
      serialNumber = `${serialNumber}-YOUNG`;
      await registerOnce();
      const kept = async () => {
        const rows = await sql<{ key: string }>(
          'select key from idempotency_keys where key like ? or key = ?',
          [old, idempotencyKey(key)],
        );
        return rows.map((row) => row.key);
      };
      assert.equal((await kept()).length, 2_502);
      const worker = await startService({ databaseUrl: dms.settings.databaseUrl });
      await eventually(kept, (keys) => keys.length === 1);
      await worker.stop();
      assert.deepEqual(await kept(), [idempotencyKey(key)]);
    });
  });

  describe('a form that is sent twice', () => {
    /** The second sending, while the first one runs for so long; with the time that it has waited. */
    async function sendAgain(runsMs: number, refusal = STILL_RUNNING) {
      let waitedMs = 0;
      const send = createOperations({
        routes: dms.service.routes,
        transactFor: () => assert.fail(),
        recordAudit: () => assert.fail(),
        now: () => new Date(),
        withIdempotency: async () => {
          if (waitedMs < runsMs) throw new AppError('conflict', refusal);
          return { status: 200, body: '{"items":[],"nextCursor":null}', location: null, replayed: true };
        },
        pause: async (ms) => {
          waitedMs += ms;
        },
      });
      const caller = { keyId: 'a', keyName: 'A', organizationId: dms.id, serialKey: null };
      const answer = await send({ ...caller, kind: 'customer', role: 'read' }, 'listGroups', {
        once: 'form',
      }).catch((error: AppError) => error.message);
      return { answer, waitedMs };
    }

    it('waits for the first sending for up to 60 seconds, and then gets its answer', async () => {
      const { answer, waitedMs } = await sendAgain(60_000);
      assert.deepEqual([answer, waitedMs], [{ status: 200, body: { items: [], nextCursor: null } }, 60_000]);
    });

    it('says after 60 seconds that the first sending still runs, and waits for no other refusal', async () => {
      assert.deepEqual(await sendAgain(60_001), { answer: STILL_RUNNING, waitedMs: 60_000 });
      assert.deepEqual(await sendAgain(60_000, 'Taken'), { answer: 'Taken', waitedMs: 0 });
    });
  });
});
