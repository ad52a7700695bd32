/** Forged requests at the verifier of the TypeScript client. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { verifyWebhook, type WebhookRequest, WebhookVerificationError } from '../../client/src/index.ts';

const SECRET = 'a-secret-of-16-chars';
const NOW = new Date('2026-03-02T08:15:30Z');
const utf8 = new TextEncoder();
const TIMESTAMP = String(NOW.getTime() / 1_000);

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '9'.repeat(400), 'v1,', 'v1,AAAA'));
const header = fc.oneof(text, fc.array(text), fc.constant(undefined));

describe('The verifier of the typed client', () => {
  const refused = (headers: unknown, body: unknown) =>
    assert.rejects(
      verifyWebhook({ headers, body } as WebhookRequest, SECRET, { now: NOW }),
      WebhookVerificationError,
    );
  const sign = (body: string | Uint8Array) => {
    const mac = createHmac('sha256', SECRET).update(`x.${TIMESTAMP}.`).update(body).digest('base64');
    return { 'webhook-id': 'x', 'webhook-timestamp': TIMESTAMP, 'webhook-signature': `v1,${mac}` };
  };

  it('refuses unsigned requests with one kind of error', async () => {
    const headers = { 'webhook-id': 'x', 'webhook-timestamp': TIMESTAMP, 'webhook-signature': 'v1,AAAA' };
    await refused(headers, Uint8Array.of(0xff, 0xfe, 0x7b));
    await refused(headers, '\ud800');
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          'webhook-id': header,
          'webhook-timestamp': fc.oneof(header, fc.constant(TIMESTAMP)),
          'webhook-signature': header,
        }),
        fc.oneof(text, fc.uint8Array()),
        refused,
      ),
      { numRuns: 300 },
    );
  });

  it('refuses bodies other than text or bytes, and missing headers, with the same kind of error', async () => {
    for (const body of [undefined, null, 7, { type: 'webhook.test' }, []]) await refused(sign('{}'), body);
    for (const headers of [undefined, null, 'webhook-id']) await refused(headers, '{}');
  });

  it('reads a body as text or as bytes in any view', async () => {
    const event = '{"type":"webhook.test"}';
    const bytes = utf8.encode(`..${event}..`);
    for (const body of [
      event,
      utf8.encode(event).buffer,
      bytes.subarray(2, -2),
      new DataView(bytes.buffer, 2, event.length),
    ])
      assert.deepEqual(
        await verifyWebhook({ headers: sign(event), body }, SECRET, { now: NOW }),
        JSON.parse(event),
      );
  });

  it('finds the valid one among many signatures', async () => {
    const headers = sign('{}');
    const many = `${'v1,AAAA v2,BBBB v1,!! '.repeat(200)}${headers['webhook-signature']}`;
    const request = { headers: { ...headers, 'webhook-signature': many }, body: '{}' };
    assert.deepEqual(await verifyWebhook(request, SECRET, { now: NOW }), {});
  });

  it('refuses a signed body that is not JSON in UTF-8 with the same kind of error', async () => {
    for (const body of [Uint8Array.of(0xff), Buffer.from('{'), '['.repeat(200_000)])
      await refused(sign(body), body);
  });
});
