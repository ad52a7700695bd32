import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ENDPOINTS_PER_NOTIFICATION, parseNotification } from '../../src/deliveries/outbox.repository.ts';
import { endpointKey } from '../../src/endpoints/endpoint.ts';

const NOTIFY_BYTES_MAX = 7_999;

describe('A notification', () => {
  const newRef = () => ({ organizationId: randomUUID(), endpointId: randomUUID() });
  const [first, second] = [newRef(), newRef()];

  it('names the endpoints with new deliveries, with their organizations', () => {
    const payload = `${endpointKey(first)},${endpointKey(second)}`;
    assert.deepEqual(parseNotification(payload), { kind: 'queued', endpoints: [first, second] });
  });

  it('names an endpoint that was changed', () => {
    const payload = `changed ${endpointKey(first)}`;
    assert.deepEqual(parseNotification(payload), { kind: 'changed', endpoints: [first] });
  });

  it('fits into the payload of NOTIFY with the maximum number of endpoints', () => {
    const payload = Array.from({ length: ENDPOINTS_PER_NOTIFICATION }, newRef).map(endpointKey).join();
    assert.ok(Buffer.byteLength(payload) <= NOTIFY_BYTES_MAX, `${payload.length} bytes`);
  });
});
