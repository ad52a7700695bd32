import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import {
  apply,
  applyAnswer,
  createProfile,
  eventually,
  FRIDGE,
  register,
  untilEnded,
} from '../support/fleet.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';
import { QUICK, QUICK_PLAN, SECRET } from './harness.ts';

describe('A webhook delivery', () => {
  let dms: TestService;
  let fleet: TestOrganization;
  let receiver: Receiver;
  let serials = 0;

  before(async () => {
    dms = await startService({ settings: { webhooks: QUICK }, deliveryPlan: QUICK_PLAN });
  });
  after(() => dms.stop());

  beforeEach(async () => {
    fleet = await dms.addOrganization();
    receiver = await startReceiver();
    await createProfile(fleet, FRIDGE);
  });
  afterEach(() => receiver.stop());

  /** A device that confirms a change: the event is config.applied. */
  async function confirmChange(): Promise<{ serial: string; jobId: string }> {
    const serial = `LOGGER-${++serials}`;
    await register(fleet, serial);
    const jobId = await apply(fleet, 'vaccine-fridge', { serialNumbers: [serial] });
    await applyAnswer(fleet, serial);
    return { serial, jobId };
  }

  const subscribe = async (more: object = {}) => {
    const { status, body, text } = await fleet.api.post('/webhooks', {
      url: receiver.url,
      events: ['config.applied'],
      ...more,
    });
    assert.equal(status, 201, text);
    return body.id as string;
  };
  const deliveriesOf = async (id: string) => (await fleet.api.get(`/webhooks/${id}/deliveries`)).body.items;

  it('brings config.applied to who subscribed, signed so that the Standard Webhooks library takes it', async () => {
    await subscribe({ secret: SECRET });
    const { serial, jobId } = await confirmChange();
    const [first] = await receiver.until(1);
    const payload = new Webhook(SECRET).verify(first?.body ?? '', first?.headers as Record<string, string>);
    const { type, data } = payload as { type: string; data: Record<string, unknown> };
    assert.equal(type, 'config.applied');
    assert.equal(data.serialNumber, serial);
    assert.equal(data.jobId, jobId);
    assert.equal(data.profileSlug, 'vaccine-fridge');
    assert.equal(first?.headers['content-type'], 'application/json');
    assert.match(first?.headers['user-agent'] ?? '', /^device-monitoring-service\/\d/);
  });

  it('tells of a finished job', async () => {
    await subscribe({ events: ['config.job.finished'] });
    const { jobId } = await confirmChange();
    await untilEnded(fleet, jobId);
    const [first] = await receiver.until(1);
    assert.equal(first?.event.data.id, jobId);
    assert.equal(first?.event.data.status, 'succeeded');
  });

  it('is tried again after a failure, with the same webhook-id, until it arrives', async () => {
    const id = await subscribe();
    receiver.answer((response, index) => response.writeHead(index < 2 ? 500 : 204).end());
    await confirmChange();
    const received = await receiver.until(3);
    assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1);
    const [delivery] = await eventually(
      () => deliveriesOf(id),
      ([each]) => each.state === 'delivered',
    );
    assert.equal(delivery.attemptCount, 3);
    const { body } = await fleet.api.get(`/webhooks/${id}/deliveries/${delivery.id}`);
    assert.deepEqual(
      body.attempts.map(({ statusCode }: { statusCode: number }) => statusCode),
      [500, 500, 204],
    );
    assert.equal(body.payload.type, 'config.applied');
  });

  it('waits while the breaker is open, and everything drains when the receiver is back', async () => {
    const id = await subscribe();
    await receiver.pause();
    for (let count = 0; count < 12; count++) await confirmChange();
    await eventually(
      () => deliveriesOf(id),
      (items) => items.length === 12 && items.some(({ state }: { state: string }) => state === 'retrying'),
    );
    await receiver.resume();
    await eventually(
      () => deliveriesOf(id),
      (items) => items.every(({ state }: { state: string }) => state === 'delivered'),
    );
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.equal(new Set(ids).size, 12);
  });

  it('disables the webhook when the receiver says 410', async () => {
    const id = await subscribe();
    receiver.answer((response) => response.writeHead(410).end());
    await confirmChange();
    const disabled = await eventually(
      async () => (await fleet.api.get(`/webhooks/${id}`)).body,
      ({ status }) => status === 'disabled',
    );
    assert.equal(disabled.disabledReason, 'gone');
    assert.equal((await deliveriesOf(id))[0].state, 'failed');
  });

  it('can be asked for again, and a test can be sent', async () => {
    const id = await subscribe();
    await confirmChange();
    await receiver.until(1);
    const [delivery] = await eventually(
      () => deliveriesOf(id),
      ([each]) => each.state === 'delivered',
    );
    const resent = await fleet.api.post(`/webhooks/${id}/deliveries/${delivery.id}/resend`);
    assert.equal(resent.status, 202, resent.text);
    const received = await receiver.until(2);
    assert.equal(received[1]?.headers['webhook-id'], received[0]?.headers['webhook-id']);
    const tested = await fleet.api.post(`/webhooks/${id}/test`);
    assert.deepEqual([tested.status, tested.body.delivered, tested.body.statusCode], [200, true, 204]);
  });
});
