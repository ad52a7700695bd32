/** When the dispatchers are notified of queued deliveries. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createQueueNotifier } from '../../src/deliveries/queue-notifier.service.ts';
import type { EndpointRef } from '../../src/endpoints/endpoint.ts';

const newRef = (): EndpointRef => ({ organizationId: randomUUID(), endpointId: randomUUID() });

describe('The notifier of queues', () => {
  /** A notification ends when the test resolves it. */
  function start(gatherMs: number) {
    const notified: EndpointRef[][] = [];
    const faults: unknown[] = [];
    let end: (error?: Error) => void = () => {};
    const notifier = createQueueNotifier({
      notify: (endpoints) => {
        notified.push(endpoints);
        return new Promise((resolve, reject) => {
          end = (error) => (error ? reject(error) : resolve());
        });
      },
      gatherMs,
      onFault: (error) => faults.push(error),
    });
    return { ...notifier, notified, faults, endOne: (error?: Error) => end(error) };
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('notifies at once, and then about everything queued meanwhile, each endpoint once', async () => {
    const { queued, stop, notified, endOne } = start(0);
    const [first, second, third] = [newRef(), newRef(), newRef()];
    queued([first]);
    queued([second]);
    queued([third, { ...second }]);
    assert.deepEqual(notified, [[first]]);
    endOne();
    const stopped = stop();
    await settled();
    assert.deepEqual(notified, [[first], [second, third]]);
    endOne();
    await stopped;
  });

  it('gathers for the given time after a notification', async () => {
    const { queued, stop, notified, endOne } = start(60_000);
    const [first, second] = [newRef(), newRef()];
    queued([first]);
    endOne();
    await settled();
    queued([second]);
    await settled();
    assert.deepEqual(notified, [[first]]);
    const stopped = stop();
    await settled();
    assert.deepEqual(notified, [[first], [second]]);
    endOne();
    await stopped;
  });

  it('continues after a notification that failed', async () => {
    const { queued, stop, notified, faults, endOne } = start(0);
    queued([newRef()]);
    endOne(new Error('the database is away'));
    await settled();
    assert.equal(faults.length, 1);
    queued([newRef()]);
    const stopped = stop();
    await settled();
    assert.equal(notified.length, 2);
    endOne();
    await stopped;
  });
});
