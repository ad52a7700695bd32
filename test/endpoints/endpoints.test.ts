/** Both collections of webhooks through the API (docs/contract.md, section 12). */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { query } from '../../src/db/query.ts';
import { createSecretBox } from '../../src/endpoints/secret-box.ts';
import { SUBSCRIBABLE_TYPES } from '../../src/events/event-catalogue.schemas.ts';
import type { Client } from '../support/client.ts';
import { type TestOrganization, useOrganization, useService } from '../support/service.ts';

const URL_1 = 'https://example.com/hooks/one';
const WHSEC = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const HEALTHY = { state: 'healthy', since: null, backlog: 0, oldestPendingAt: null, nextAttemptAt: null };
const NEVER = {
  lastDeliveredAt: null,
  lastAttemptAt: null,
  lastStatus: null,
  lastStatusCode: null,
  lastError: null,
};

interface CollectionUnderTest {
  path: string;
  recType: string;
  collection: 'cellular' | 'event';
}

const CELLULAR: CollectionUnderTest = {
  path: '/cellular-webhooks',
  recType: 'cellular-webhook',
  collection: 'cellular',
};
const EVENT: CollectionUnderTest = { path: '/webhooks', recType: 'webhook', collection: 'event' };

describe('Webhooks', () => {
  const dms = useService({ withWorker: false, settings: { webhookAllowedRanges: ['127.0.0.0/8'] } });

  async function create(api: Client, path: string, body: object = {}) {
    const answer = await api.post(path, { url: URL_1, ...body });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  }

  async function refused(
    answer: Promise<{ status: number; body: { message: string } }>,
    message: RegExp,
    status = 400,
  ) {
    const { body, status: actual } = await answer;
    assert.equal(actual, status, body?.message);
    assert.match(body.message, message);
  }

  const secretBox = () => createSecretBox(dms.settings.secretsKeys);

  async function storedSecret(
    { id: organizationId }: TestOrganization,
    webhookId: string,
  ): Promise<string | null> {
    const row = await dms.service
      .sql('endpoints')
      .where({ organization_id: organizationId, id: webhookId })
      .first('secret');
    return row?.secret ? secretBox().open(row.secret, { organizationId, rowId: webhookId }) : null;
  }

  describe('A cellular webhook', () => {
    it('creates a cellular webhook from a URL, with defaults for the rest', async () => {
      const { status, body, headers } = await dms.api.post('/cellular-webhooks', { url: URL_1 });
      assert.equal(status, 201);
      const { id, createdAt, updatedAt, ...rest } = body;
      assert.deepEqual(rest, {
        recType: 'cellular-webhook',
        name: 'example.com',
        url: URL_1,
        status: 'active',
        disabledReason: null,
        deliverConfigApplied: false,
        delivery: NEVER,
        health: HEALTHY,
      });
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
      assert.equal(createdAt, updatedAt);
      assert.equal(new Date(createdAt).toISOString(), createdAt);
      assert.equal(headers.location, `/cellular-webhooks/${id}`);
      assert.deepEqual((await dms.api.get(String(headers.location))).body, body);
    });

    it('names a cellular webhook after the host of its URL, cut to 128 characters', async () => {
      const { api } = dms;
      assert.equal(
        (await create(api, '/cellular-webhooks', { url: 'http://localhost:3000/a' })).name,
        'localhost:3000',
      );
      const host = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.com`;
      assert.equal(
        (await create(api, '/cellular-webhooks', { url: `https://${host}/` })).name,
        host.slice(0, 128),
      );
    });

    it('stores the fields of a new cellular webhook as given', async () => {
      const given = { url: URL_1, name: 'Production', status: 'disabled', deliverConfigApplied: true };
      const created = await create(dms.api, '/cellular-webhooks', given);
      const { name, url, status, deliverConfigApplied, disabledReason } = created;
      assert.deepEqual({ url, name, status, deliverConfigApplied }, given);
      assert.equal(disabledReason, 'customer');
    });

    it('shows the last delivery of a cellular webhook', async () => {
      const { id } = await create(dms.api, '/cellular-webhooks');
      await dms.service
        .sql('endpoints')
        .where({ organization_id: dms.id, id })
        .update({
          last_delivered_at: new Date('2026-03-02T08:15:30Z'),
          last_attempt_at: new Date('2026-03-02T09:15:30Z'),
          last_status: 'retrying',
          last_status_code: 503,
          last_error: 'the endpoint answered 503',
        });
      const shown = {
        lastDeliveredAt: '2026-03-02T08:15:30.000Z',
        lastAttemptAt: '2026-03-02T09:15:30.000Z',
        lastStatus: 'retrying',
        lastStatusCode: 503,
        lastError: 'the endpoint answered 503',
      };
      const path = `/cellular-webhooks/${id}`;
      assert.deepEqual((await dms.api.get(path)).body.delivery, shown);
      assert.deepEqual((await dms.api.patch(path, { name: 'x' })).body.delivery, shown);
    });

    it('accepts names of 1 to 128 characters that are not blank', async () => {
      const post = (name: unknown) => dms.api.post('/cellular-webhooks', { url: URL_1, name });
      for (const blank of ['', ' ', '\t\n']) await refused(post(blank), /^name must not be blank/);
      await refused(post('x'.repeat(129)), /^name length must be less than or equal to 128/);
      assert.equal((await post('x'.repeat(128))).status, 201);
    });

    it('subscribes a cellular webhook to config.applied while deliverConfigApplied is set', async () => {
      const { id } = await create(dms.api, '/cellular-webhooks');
      for (const deliverConfigApplied of [true, false, true]) {
        const { body } = await dms.api.patch(`/cellular-webhooks/${id}`, { deliverConfigApplied });
        assert.equal(body.deliverConfigApplied, deliverConfigApplied);
        const [events] = await dms.service
          .sql('endpoints')
          .where({ organization_id: dms.id, id })
          .pluck('events');
        assert.deepEqual(
          events,
          deliverConfigApplied ? ['data.measurement', 'config.applied'] : ['data.measurement'],
        );
      }
      assert.equal(
        (await dms.api.patch(`/cellular-webhooks/${id}`, { name: 'n' })).body.deliverConfigApplied,
        true,
      );
    });
  });

  describe('An event webhook', () => {
    it('creates an event webhook from a URL, subscribed to every type of event', async () => {
      const { status, body, headers } = await dms.api.post('/webhooks', { url: URL_1 });
      assert.equal(status, 201);
      assert.equal(headers.location, `/webhooks/${body.id}`);
      const { id, createdAt, updatedAt, ...rest } = body;
      assert.deepEqual(rest, {
        recType: 'webhook',
        url: URL_1,
        status: 'active',
        disabledReason: null,
        events: [
          'data.measurement.alert',
          'alert.created',
          'alert.acknowledged',
          'alert.resolved',
          'config.applied',
          'config.failed',
          'config.job.finished',
          'device.offline',
          'device.online',
          'fleet.silent',
          'webhook.disabled',
        ],
        delivery: NEVER,
        health: HEALTHY,
      });
      assert.equal(createdAt, updatedAt);
      assert.deepEqual((await dms.api.get(`/webhooks/${id}`)).body, body);
    });

    it('subscribes an event webhook to the types that it names, in their order', async () => {
      const events = ['device.online', 'alert.created'];
      const { id, events: shown } = await create(dms.api, '/webhooks', { events, status: 'disabled' });
      assert.deepEqual(shown, events);
      const changed = await dms.api.patch(`/webhooks/${id}`, { events: ['config.failed'] });
      assert.deepEqual(changed.body.events, ['config.failed']);
    });

    it('accepts at least one type of event, each once, and only existing types', async () => {
      const { id } = await create(dms.api, '/webhooks', { events: ['alert.created'] });
      for (const send of [
        (events: unknown) => dms.api.post('/webhooks', { url: URL_1, events }),
        (events: unknown) => dms.api.patch(`/webhooks/${id}`, { events }),
      ]) {
        await refused(send([]), /^events must name at least one kind of event/);
        await refused(send(['alert.created', 'alert.created']), /^events\[1\] contains a duplicate value/);
        for (const kind of ['data.measurement', 'webhook.test', 'alert', '*', '']) {
          await refused(send(['alert.created', kind]), /^events\[1\] must be one of/);
        }
      }
      assert.deepEqual((await dms.api.get(`/webhooks/${id}`)).body.events, ['alert.created']);
      assert.equal(
        (await dms.api.post('/webhooks', { url: URL_1, events: [...SUBSCRIBABLE_TYPES] })).status,
        201,
      );
    });
  });

  for (const { path, recType, collection } of [CELLULAR, EVENT]) {
    describe(`The collection ${path}`, () => {
      /** Counting and listing need an organization of their own. */
      const own = useOrganization(dms);

      it('lists the endpoints of the collection, newest last', async () => {
        const created = [];
        for (const number of [1, 2, 3]) {
          created.push(await create(own.api, path, { url: `https://example.com/${number}` }));
        }
        const { status, body } = await own.api.get(path);
        assert.equal(status, 200);
        assert.deepEqual(body, { recType: `${recType}-collection`, items: created, totalItems: 3 });
      });

      it('lists nothing for a new organization', async () => {
        const expected = { recType: `${recType}-collection`, items: [], totalItems: 0 };
        assert.deepEqual((await own.api.get(path)).body, expected);
      });

      it('filters the list by status', async () => {
        const { id: activeId } = await create(own.api, path);
        const { id: disabledId } = await create(own.api, path, { status: 'disabled' });
        for (const [status, id] of [
          ['active', activeId],
          ['disabled', disabledId],
        ]) {
          const { body } = await own.api.get(`${path}?status=${status}`);
          assert.deepEqual([body.totalItems, body.items.map((item: { id: string }) => item.id)], [1, [id]]);
        }
        await refused(own.api.get(`${path}?status=failing`), /^status must be one of \[active, disabled\]/);
      });

      it('refuses URLs that deliveries must not go to', async () => {
        const { id } = await create(own.api, path);
        for (const send of [
          (url: unknown) => own.api.post(path, { url }),
          (url: unknown) => own.api.patch(`${path}/${id}`, { url }),
        ]) {
          await refused(send('ftp://example.com/'), /^url must be an absolute http or https URL/);
          await refused(
            send(`https://example.com/${'a'.repeat(2048)}`),
            /^url length must be less than or equal to 2048/,
          );
          await refused(send('http://10.0.0.1/'), /^url must lead to a public address: 10\.0\.0\.1 is none/);
          assert.ok((await send('http://127.0.0.1:9/allowed-by-the-operator')).status < 300);
        }
        await refused(own.api.post(path, {}), /^url is required/);
        await refused(own.api.post(path), /^url is required/);
      });

      it('shows a URL as it was sent', async () => {
        for (const url of [
          'https://example.com',
          'HTTPS://Example.COM:443/a/../b',
          'https://bücher.example/straße?q=ä',
        ]) {
          const { id, url: shown } = await create(own.api, path, { url });
          assert.equal(shown, url);
          assert.equal((await own.api.patch(`${path}/${id}`, { url: URL_1 })).body.url, URL_1);
          assert.equal((await own.api.patch(`${path}/${id}`, { url })).body.url, url);
        }
      });

      it('changes only the fields of a PATCH', async () => {
        const before = await create(own.api, path, { secret: WHSEC });
        const { status, body } = await own.api.patch(`${path}/${before.id}`, {
          url: 'https://example.org/two',
        });
        assert.equal(status, 200);
        assert.deepEqual(body, { ...before, url: 'https://example.org/two', updatedAt: body.updatedAt });
        assert.deepEqual((await own.api.get(`${path}/${before.id}`)).body, body);
        assert.equal(await storedSecret(own, before.id), WHSEC);
      });

      it('increases updatedAt with every PATCH, even one that changes nothing', async () => {
        const { id, createdAt, updatedAt } = await create(own.api, path);
        let last = updatedAt;
        for (let round = 0; round < 10; round++) {
          const { body } = await own.api.patch(`${path}/${id}`, { status: 'active' });
          assert.ok(body.updatedAt > last, `${body.updatedAt} after ${last}`);
          assert.equal(body.createdAt, createdAt);
          last = body.updatedAt;
        }
      });

      it('disables and enables for the customer, whatever disabled the endpoint before', async () => {
        const { id } = await create(own.api, path);
        const patch = async (status: string) => (await own.api.patch(`${path}/${id}`, { status })).body;
        const disabled = await patch('disabled');
        assert.deepEqual([disabled.status, disabled.disabledReason], ['disabled', 'customer']);
        for (const reason of ['failing', 'gone'] as const) {
          await dms.service
            .sql('endpoints')
            .where({ organization_id: own.id, id })
            .update({ status: 'disabled', disabled_reason: reason });
          assert.equal((await own.api.get(`${path}/${id}`)).body.disabledReason, reason);
          const kept = await own.api.patch(`${path}/${id}`, { url: URL_1 });
          assert.deepEqual([kept.body.status, kept.body.disabledReason], ['disabled', reason]);
          assert.equal((await patch('disabled')).disabledReason, 'customer');
          const active = await patch('active');
          assert.deepEqual([active.status, active.disabledReason], ['active', null]);
        }
        await refused(
          own.api.patch(`${path}/${id}`, { status: 'failing' }),
          /^status must be one of \[active, disabled\]/,
        );
      });

      it('names the fields that a PATCH may have when it has none', async () => {
        const { id } = await create(own.api, path);
        await refused(own.api.patch(`${path}/${id}`, {}), /^at least one of url, .+ must be given/);
      });

      it('applies both of two concurrent PATCHes', async () => {
        const { id } = await create(own.api, path);
        for (let round = 0; round < 10; round++) {
          const url = `https://example.com/${round}`;
          const status = round % 2 === 0 ? 'disabled' : 'active';
          await Promise.all([
            own.api.patch(`${path}/${id}`, { url }),
            own.api.patch(`${path}/${id}`, { status }),
          ]);
          const { body } = await own.api.get(`${path}/${id}`);
          assert.deepEqual([body.url, body.status], [url, status]);
        }
      });

      it('deletes an endpoint, with an empty answer', async () => {
        const { id } = await create(own.api, path);
        const deleted = await own.api.delete(`${path}/${id}`);
        assert.deepEqual(
          [deleted.status, deleted.text, deleted.headers['content-type']],
          [204, '', undefined],
        );
        for (const answer of [
          own.api.get(`${path}/${id}`),
          own.api.patch(`${path}/${id}`, { status: 'active' }),
          own.api.delete(`${path}/${id}`),
        ]) {
          await refused(answer, /No webhook of this collection has this id/, 404);
        }
        assert.equal((await own.api.get(path)).body.totalItems, 0);
      });

      it('holds at most 100 endpoints, even with concurrent additions', async () => {
        await query(
          dms.service.sql,
          `insert into endpoints (organization_id, collection, name, url, status, disabled_reason, events)
           select ?, ?, 'Many', ?, 'disabled', 'customer', '{alert.created}' from generate_series(1, 95)`,
          [own.id, collection, URL_1],
        );
        const answers = await Promise.all(
          Array.from({ length: 15 }, () => own.api.post(path, { url: URL_1 })),
        );
        const full = answers.filter(({ status }) => status === 409);
        assert.equal(answers.filter(({ status }) => status === 201).length, 5);
        assert.equal(full.length, 10);
        assert.match(full[0]?.body.message, /^There are 100 webhooks in this collection/);
        const list = await own.api.get(path);
        assert.deepEqual([list.body.totalItems, list.body.items.length], [100, 100]);

        const otherPath = path === CELLULAR.path ? EVENT.path : CELLULAR.path;
        await create(own.api, otherPath);
        await create(dms.api, path);
        await own.api.delete(`${path}/${list.body.items[0].id}`);
        await create(own.api, path);
        await refused(own.api.post(path, { url: URL_1 }), /delete one/, 409);
      });

      describe('The secret of an endpoint', () => {
        it('quotes the secret in no error message', async () => {
          const { id } = await create(own.api, path);
          for (const secret of [
            'whsec_not!base64!at!all',
            `whsec_${'~'.repeat(200)}`,
            'confidential',
            'confidential\u0007words',
          ]) {
            for (const answer of [
              await own.api.post(path, { url: URL_1, secret }),
              await own.api.patch(`${path}/${id}`, { secret }),
            ]) {
              assert.equal(answer.status, 400);
              assert.doesNotMatch(answer.text, /not!|~|confidential/);
            }
          }
        });

        it('encrypts the secret for its own row, also when the id is written in capitals', async () => {
          const { id } = await create(own.api, path, { secret: WHSEC });
          const row = await dms.service.sql('endpoints').where({ organization_id: own.id, id }).first();
          const sealed = row?.secret as Buffer;
          assert.equal(row?.collection, collection);
          assert.equal(sealed.includes(WHSEC.slice(6)), false);
          assert.equal(await storedSecret(own, id), WHSEC);
          assert.throws(() => secretBox().open(sealed, { organizationId: own.id, rowId: randomUUID() }));
          await own.api.patch(`${path}/${id.toUpperCase()}`, { secret: 'another secret, longer' });
          assert.equal(await storedSecret(own, id), 'another secret, longer');
        });

        it('replaces the secret by a PATCH, and removes it by null', async () => {
          const { id } = await create(own.api, path, { secret: WHSEC });
          await own.api.patch(`${path}/${id}`, { status: 'disabled' });
          assert.equal(await storedSecret(own, id), WHSEC);
          const replaced = 'ein Geheimnis mit ümläuten 🔑';
          await own.api.patch(`${path}/${id}`, { secret: replaced });
          assert.equal(await storedSecret(own, id), replaced);
          assert.equal((await own.api.patch(`${path}/${id}`, { secret: null })).status, 200);
          assert.equal(await storedSecret(own, id), null);
        });

        it('accepts secrets of 16 to 128 characters, padded base64 after whsec_', async () => {
          const { id } = await create(own.api, path);
          for (const send of [
            (secret: unknown) => own.api.post(path, { url: URL_1, secret }),
            (secret: unknown) => own.api.patch(`${path}/${id}`, { secret }),
          ]) {
            await refused(send('x'.repeat(15)), /^secret length must be at least 16/);
            await refused(send('x'.repeat(129)), /^secret length must be less than or equal to 128/);
            await refused(send(''), /^secret is not allowed to be empty/);
            await refused(send(`${'x'.repeat(16)}\n`), /^secret must hold no control characters/);
            for (const rest of [
              'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS',
              'MfKQ9r8GKYqr_wjUPD8I-PZI',
              'MfKQ9r8GKYqrTwjUPD8ILPZIo=',
              'not base64!!',
            ]) {
              await refused(send(`whsec_${rest}`), /^secret must be padded base64 after whsec_/);
            }
            for (const secret of [
              'x'.repeat(16),
              'x'.repeat(128),
              WHSEC,
              'whsec_MfKQ9r8GKYqrTw==',
              'whsec MfKQ9r8GKYqr',
            ]) {
              assert.ok((await send(secret)).status < 300, secret);
            }
          }
          await refused(own.api.post(path, { url: URL_1, secret: null }), /^secret must be a string/);
        });
      });
    });
  }

  it('limits a list of /webhooks to the given number of items, and counts all matches in totalItems', async () => {
    const own = await dms.addOrganization();
    for (const status of ['active', 'disabled', 'active', 'disabled', 'active']) {
      await create(own.api, '/webhooks', { status });
    }
    const seen = async (filter: string) => {
      const { body } = await own.api.get(`/webhooks?${filter}`);
      return [body.items.length, body.totalItems];
    };
    assert.deepEqual(await seen(''), [5, 5]);
    assert.deepEqual(await seen('limit=2'), [2, 5]);
    assert.deepEqual(await seen('limit=2&status=active'), [2, 3]);
    assert.deepEqual(await seen('limit=500'), [5, 5]);
  });
});
