/** Addresses that deliveries may go to: in URLs, of names, and of names whose address changes. */
import assert from 'node:assert/strict';
import { createLog } from '../../src/process/log.ts';
import { useReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';
import { QUICK, QUICK_PLAN, useCustomer } from './harness.ts';

const NOT_PUBLIC = 'the URL leads to an address that is not public';
const NOT_REACHABLE = 'not reachable';

describe('The address of a receiver', () => {
  let port: string;
  const logged: string[] = [];
  /** The addresses of each name, per look-up; the last ones stay. */
  const answers: Record<string, string[][]> = {};
  const lookups: string[] = [];

  const receiver = useReceiver();
  const dms = useService({
    // The receiver's own address is the only non-public one that is allowed.
    settings: { webhooks: QUICK, webhookAllowedRanges: ['127.0.0.1/32'] },
    deliveryPlan: QUICK_PLAN,
    log: createLog('trace', { write: (line: string) => void logged.push(line) }),
    async resolve(hostname) {
      lookups.push(hostname);
      const [first, ...later] = answers[hostname] ?? [];
      if (later.length > 0) answers[hostname] = later;
      return (first ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  });
  const customer = useCustomer(dms);
  before(() => {
    port = new URL(receiver.url).port;
  });

  it('sends nothing to a name when any of its addresses is not public', async () => {
    for (const addresses of [
      ['10.0.0.1'],
      ['127.0.0.1', '10.0.0.1'],
      ['10.0.0.1', '127.0.0.1'],
      ['127.0.0.1', '::1'],
      ['127.0.0.1', '::ffff:10.0.0.1'],
      ['127.0.0.1', '169.254.169.254'],
      ['not-an-address', '127.0.0.1'],
    ]) {
      answers['mixed.example'] = [addresses];
      const endpoint = await customer.subscribe(`http://mixed.example:${port}/mixed`, {
        events: ['config.failed'],
      });
      const { delivered, statusCode, error } = await endpoint.test();
      assert.deepEqual([delivered, statusCode, error], [false, null, NOT_REACHABLE], addresses.join());
    }
    assert.equal(receiver.received.length, 0);
  });

  it('looks up a name for every connection, so DNS rebinding gains nothing', async () => {
    answers['rebinding.example'] = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1']];
    const endpoint = await customer.subscribe(`http://rebinding.example:${port}/r`, {
      events: ['config.failed'],
    });
    receiver.answer((response) => response.writeHead(204, { connection: 'close' }).end());
    assert.deepEqual([(await endpoint.test()).error], [null]);
    assert.deepEqual([(await endpoint.test()).error], [NOT_REACHABLE]);
    assert.deepEqual([(await endpoint.test()).error], [null]);
    assert.equal(lookups.filter((name) => name === 'rebinding.example').length, 3);
  });

  it('shows in a delivery, but not in the answer of a test, whether a name has no address or a private one', async () => {
    const test = async (hostname: string) => {
      const endpoint = await customer.subscribe(`http://${hostname}:${port}/`, { events: ['config.failed'] });
      const { delivered, statusCode, error } = await endpoint.test();
      return { delivered, statusCode, error };
    };
    answers['private.example'] = [['10.1.2.3']];
    const expected = { delivered: false, statusCode: null, error: NOT_REACHABLE };
    assert.deepEqual(await test('nobody.example'), expected);
    assert.deepEqual(await test('private.example'), expected);
    const endpoint = await customer.subscribe('http://nobody.example/');
    await customer.publish(1);
    await endpoint.until(([only]) => only?.lastError === 'the host name was not found');
    await customer.api.delete(endpoint.path);
  });

  it('blocks a delivery to a non-public address, and delivers it by a replay once it is allowed', async () => {
    answers['inside.example'] = [['192.168.7.7']];
    const endpoint = await customer.subscribe(`http://inside.example:${port}/hook`);
    await customer.publish(1);
    const [blocked] = await endpoint.untilAll('blocked', 1);
    assert.deepEqual(
      [blocked?.attemptCount, blocked?.nextAttemptAt, blocked?.lastStatusCode, blocked?.lastError],
      [1, null, null, NOT_PUBLIC],
    );
    answers['inside.example'] = [['127.0.0.1']];
    const { body } = await customer.api.post(`${endpoint.path}/replay`, { since: '2020-01-01T00:00:00Z' });
    assert.deepEqual(body, { queued: 1 });
    await endpoint.untilAll('delivered', 1);
  });

  it('disables a webhook that was only blocked for as long as a failing one may fail', async () => {
    answers['expired.example'] = [['192.168.7.7']];
    const endpoint = await customer.subscribe(`http://expired.example:${port}/hook`);
    await dms.service
      .sql('endpoints')
      .where({ organization_id: customer.id, id: endpoint.id })
      .update({ failing_since: new Date(Date.now() - QUICK_PLAN.disableAfterMs) });
    await customer.publish(1);
    await endpoint.untilDisabled('failing');
  });

  it('names no internal address in the log', async () => {
    for (const inner of ['10.0.0.1', '192.168.7.7', '169.254.169.254', '::ffff:10']) {
      assert.ok(!logged.some((line) => line.includes(inner)), inner);
    }
    assert.ok(logged.length > 0);
  });
});
