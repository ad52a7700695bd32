import assert from 'node:assert/strict';
import { createConcurrencyLimit } from '../../src/http/concurrency-limit.ts';
import { clientResponse } from '../support/client-response.ts';

const NEVER = new Promise<never>(() => {});

describe('The limit of long requests at once', () => {
  const caller = (organizationId: string, key: number) => ({
    organizationId,
    keyId: `${organizationId} ${key}`,
  });
  const limit = () => createConcurrencyLimit({ name: 'exports', perKeyMax: 2, perProcessMax: 6 });

  it('leaves room for others, however many keys one organization has', async () => {
    const { run } = limit();
    for (let key = 0; key < 3; key++) void run(caller('A', key), () => NEVER);
    await assert.rejects(
      run(caller('A', 3), () => NEVER),
      { kind: 'rate_limited' },
    );
    assert.equal(await run(caller('B', 0), async () => 'done'), 'done');
  });

  it('refuses every organization when the process is at its limit', async () => {
    const { run } = limit();
    for (const name of ['A', 'B', 'C'])
      for (let key = 0; key < 2; key++) void run(caller(name, key), () => NEVER);
    await assert.rejects(
      run(caller('D', 0), () => NEVER),
      { kind: 'unavailable' },
    );
  });

  it('counts an answer until its client has read it or has gone, and none that failed', async () => {
    const { answer } = createConcurrencyLimit({ name: 'forms', perKeyMax: 1, perProcessMax: 2 });
    const send = (response: ReturnType<typeof clientResponse>) =>
      answer(caller('A', 0), response, async () => 'page');
    const unread = clientResponse();
    assert.equal(await send(unread), 'page');
    await assert.rejects(send(clientResponse()), { kind: 'rate_limited' });
    unread.emit('close');
    assert.equal(await send(clientResponse(true)), 'page');
    await assert.rejects(
      answer(caller('A', 0), clientResponse(), () => Promise.reject(new Error('failed'))),
      /failed/,
    );
    assert.equal(await send(clientResponse()), 'page');
  });

  it('releases places once, even after failures', async () => {
    const { run } = limit();
    for (let round = 0; round < 10; round++) {
      await assert.rejects(
        run(caller('A', 0), () => Promise.reject(new Error('failed'))),
        /failed/,
      );
    }
    for (let key = 0; key < 3; key++) void run(caller('A', key), () => NEVER);
    await assert.rejects(
      run(caller('A', 3), () => NEVER),
      { kind: 'rate_limited' },
    );
  });

  it('leaves a place for another organization even if one key may have nearly all', async () => {
    const { run } = createConcurrencyLimit({ name: 'exports', perKeyMax: 8, perProcessMax: 4 });
    for (let count = 0; count < 3; count++) void run(caller('A', 0), () => NEVER);
    await assert.rejects(
      run(caller('A', 0), () => NEVER),
      { kind: 'rate_limited' },
    );
    assert.equal(await run(caller('B', 0), async () => 'done'), 'done');
  });
});
