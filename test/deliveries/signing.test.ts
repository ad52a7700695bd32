/** Signatures, verified by the Standard Webhooks library, and their secrets. */
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { query } from '../../src/db/query.ts';
import { sign } from '../../src/endpoints/endpoint-secret.ts';
import { DAY_MS } from '../../src/process/durations.ts';
import { eventually } from '../support/fleet.ts';
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';
import { type Endpoint, pause, QUICK, QUICK_PLAN, SECRET, useCustomer } from './harness.ts';

const GRACE_MS = DAY_MS;
const PLAIN = 'correct horse battery staple é';
const OTHER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

const referenceFor = (secret: string) =>
  secret.startsWith('whsec_') ? new Webhook(secret) : new Webhook(Buffer.from(secret), { format: 'raw' });

function accepts(secret: string, { body, headers }: { body: string; headers: IncomingHttpHeaders }): boolean {
  try {
    referenceFor(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

describe('A signature', () => {
  it('signs like the Standard Webhooks library, with any body and secret', () => {
    const base64 = fc
      .uint8Array({ minLength: 8, maxLength: 64 })
      .map((key) => Buffer.from(key).toString('base64'));
    const secret = fc.oneof(
      base64.map((key) => `whsec_${key}`),
      fc
        .string({ unit: 'grapheme', minLength: 16, maxLength: 64 })
        .filter((text) => !text.startsWith('whsec_')),
    );
    fc.assert(
      fc.property(
        secret,
        fc.string({ unit: 'grapheme' }),
        fc.nat(4_000_000_000),
        (key, body, timestampSeconds) => {
          const expected = referenceFor(key).sign('evt', new Date(timestampSeconds * 1_000), body);
          assert.equal(sign({ id: 'evt', timestampSeconds, body }, [key]), expected);
        },
      ),
    );
  });
});

describe('The secret of an endpoint', () => {
  const dms = useService({
    // The clock of this process, which times of the service are compared with.
    now: () => new Date(),
    settings: { webhooks: { ...QUICK, secretGracePeriodMs: GRACE_MS } },
    deliveryPlan: QUICK_PLAN,
  });
  const customer = useCustomer(dms);
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await customer.unsubscribeAll();
    await receiver.stop();
  });

  async function testRequest(endpoint: Endpoint): Promise<Received> {
    await endpoint.test();
    return receiver.received.at(-1) as Received;
  }

  const signatureCount = ({ headers }: Received) => String(headers['webhook-signature']).split(' ').length;

  async function rotate(endpoint: Endpoint, body?: object) {
    const { status, body: answer, text } = await customer.api.post(`${endpoint.path}/rotate-secret`, body);
    assert.equal(status, 200, text);
    return answer as { secret?: string; previousValidUntil: string | null };
  }

  it('signs deliveries and tests with the secret, whsec_ or plain text', async () => {
    const [based, plain] = [
      await customer.subscribe(`${receiver.url}/based`, { secret: SECRET }),
      await customer.subscribe(`${receiver.url}/plain`, { secret: PLAIN }),
    ];
    await customer.publish(1);
    await receiver.until(2);
    await based.test();
    await plain.test();
    assert.equal(receiver.received.length, 4);
    for (const each of receiver.received) {
      assert.equal(accepts(each.path.endsWith('based') ? SECRET : PLAIN, each), true);
      assert.equal(accepts(OTHER, each), false);
    }
  });

  it('signs with the previous secret as well until the grace period after a rotation has passed', async () => {
    const endpoint = await customer.subscribe(receiver.url, { secret: SECRET, events: ['config.failed'] });
    const before = Date.now();
    const { secret, previousValidUntil } = await rotate(endpoint, { secret: OTHER });
    assert.equal(secret, undefined, 'not repeated when the customer chose it');
    const rotatedAt = Date.parse(previousValidUntil ?? '') - GRACE_MS;
    assert.ok(before <= rotatedAt && rotatedAt <= Date.now(), `${previousValidUntil}`);
    // The secret that it has already ends nothing.
    assert.equal((await customer.api.patch(endpoint.path, { secret: OTHER })).status, 200);
    const during = await testRequest(endpoint);
    assert.deepEqual(
      [accepts(SECRET, during), accepts(OTHER, during), signatureCount(during)],
      [true, true, 2],
    );
    const [stored] = await query<{ until: Date }>(
      dms.service.sql,
      `update endpoints set previous_secret_until = now() where organization_id = ? and id = ?
       returning old.previous_secret_until as until`,
      [customer.id, endpoint.id],
    );
    assert.equal(stored?.until.toISOString(), previousValidUntil);
    const afterwards = await testRequest(endpoint);
    assert.deepEqual(
      [accepts(SECRET, afterwards), accepts(OTHER, afterwards), signatureCount(afterwards)],
      [false, true, 1],
    );
  });

  it('signs with the new secret whatever was claimed before the rotation and is sent after it', async () => {
    const endpoint = await customer.subscribe(receiver.url, { secret: SECRET });
    const held: ServerResponse[] = [];
    receiver.answer((response) => void held.push(response));
    await customer.publish(40);
    await receiver.until(QUICK.perEndpointMax);
    const leases = await claimed(endpoint);
    assert.equal(leases.length, 40, 'all are claimed');
    await rotate(endpoint, { secret: OTHER });
    const latest = Math.max(...leases);
    await eventually(
      () => claimed(endpoint),
      (now) => now.filter((until) => until > latest).length === 40 - QUICK.perEndpointMax,
    );
    receiver.answer((response) => response.writeHead(204).end());
    for (const response of held) response.writeHead(204).end();
    const received = await receiver.until(40);
    assert.ok(received.slice(QUICK.perEndpointMax).every((each) => accepts(OTHER, each)));
  });

  /** The ends of the leases of deliveries that are claimed. */
  async function claimed({ id }: Endpoint): Promise<number[]> {
    const rows = await query<{ until: Date }>(
      dms.service.sql,
      `select leased_until as until from deliveries
       where organization_id = ? and endpoint_id = ? and state = 'sending'`,
      [customer.id, id],
    );
    return rows.map(({ until }) => until.getTime());
  }

  it('changes nothing when a rotation is repeated with the same secret', async () => {
    const endpoint = await customer.subscribe(receiver.url, { secret: SECRET, events: ['config.failed'] });
    const first = await rotate(endpoint, { secret: OTHER });
    assert.deepEqual(await rotate(endpoint, { secret: OTHER }), first);
    const during = await testRequest(endpoint);
    assert.deepEqual([accepts(SECRET, during), accepts(OTHER, during)], [true, true]);
  });

  it('generates a secret when none is given, and shows it only in that answer', async () => {
    const endpoint = await customer.subscribe(receiver.url, { events: ['config.failed'] });
    const { secret = '', previousValidUntil } = await rotate(endpoint);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(previousValidUntil, null, 'there was no previous secret');
    assert.equal(accepts(secret, await testRequest(endpoint)), true);
    const second = await rotate(endpoint, {});
    assert.notEqual(second.secret, secret);
    assert.equal(signatureCount(await testRequest(endpoint)), 2);
    assert.ok(!JSON.stringify(await endpoint.view()).includes('whsec_'));
  });

  it('signs queued deliveries with a changed secret, and leaves them unsigned after the secret was removed', async () => {
    const [changed, removed] = [
      await customer.subscribe(`${receiver.url}/changed`, { secret: SECRET }),
      await customer.subscribe(`${receiver.url}/removed`, { secret: SECRET }),
    ];
    receiver.answer((response) => response.writeHead(503).end());
    await customer.publish(2);
    await receiver.until(2);
    await changed.change({ secret: OTHER });
    await removed.change({ secret: null });
    await pause(100);
    const seen = receiver.received.length;
    receiver.answer((response) => response.writeHead(204).end());
    await Promise.all([changed.untilAll('delivered', 2), removed.untilAll('delivered', 2)]);
    const since = receiver.received.slice(seen + 1);
    assert.ok(since.length >= 3);
    for (const each of since) {
      if (each.path.endsWith('removed')) assert.equal(each.headers['webhook-signature'], undefined);
      else assert.deepEqual([accepts(OTHER, each), accepts(SECRET, each)], [true, false]);
    }
  });

  it('stores the secret and the previous one encrypted', async () => {
    const endpoint = await customer.subscribe(receiver.url, { secret: PLAIN, events: ['config.failed'] });
    await rotate(endpoint, { secret: OTHER });
    const [row] = await query<{ secret: Buffer; previous_secret: Buffer; whole: string }>(
      dms.service.sql,
      'select w.*, w::text as whole from endpoints w where id = ?',
      [endpoint.id],
    );
    for (const secret of [PLAIN, OTHER, Buffer.from(OTHER.slice(6), 'base64')]) {
      for (const column of [row?.secret, row?.previous_secret]) assert.equal(column?.includes(secret), false);
      assert.equal(row?.whole.includes(secret.toString('hex')), false);
    }
    assert.equal(row?.secret.readUInt32BE(), 1, 'the sealed bytes begin with the id of their key');
  });
});
