/** Requests that the service did not send, at the verifier of the TypeScript client. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { verifyWebhook, WebhookVerificationError } from '../../client/src/index.ts';

const SECRET = 'a-secret-of-16-chars';
const NOW = new Date('2026-03-02T08:15:30Z');
const TIMESTAMP = String(NOW.getTime() / 1_000);

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '9'.repeat(400), 'v1,', 'v1,AAAA'));
const header = fc.oneof(text, fc.array(text), fc.constant(undefined));

describe('The verifier of the typed client', () => {
  const refused = (headers: Record<string, string | string[] | undefined>, body: string | Uint8Array) =>
    assert.rejects(verifyWebhook({ headers, body }, SECRET, { now: NOW }), WebhookVerificationError);

  it('refuses whatever nobody signed with one kind of error', async () => {
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

  it('refuses a signed body that is no JSON in UTF-8 with the same kind', async () => {
    for (const body of [Uint8Array.of(0xff), Buffer.from('{')]) {
      const mac = createHmac('sha256', SECRET).update(`x.${TIMESTAMP}.`).update(body).digest('base64');
      await refused(
        { 'webhook-id': 'x', 'webhook-timestamp': TIMESTAMP, 'webhook-signature': `v1,${mac}` },
        body,
      );
    }
  });
});
