/** The limit of messages per device token over CoAP. The tests set the clock. */
import assert from 'node:assert/strict';
import type { Reply } from '../support/logger.ts';
import { codesOf, useGateway } from './harness.ts';

describe('The limit of messages per device token', () => {
  let nowMs = Date.now();
  const gateway = useGateway(() => ({
    settings: { deviceLimit: { perSecond: 1, burst: 3 } },
    now: () => new Date(nowMs),
  }));

  async function times(count: number, send: () => Promise<Reply>): Promise<string[]> {
    const replies: Reply[] = [];
    for (let time = 0; time < count; time++) replies.push(await send());
    return codesOf(replies);
  }

  it('answers 5.03 above the limit, stores nothing of it, and accepts messages again after some time', async () => {
    const { logger, history } = await gateway.newLogger();
    let frames = 0;
    const measure = () => logger.measure({ at: new Date(nowMs - 60_000 * ++frames) });
    assert.deepEqual(await times(5, measure), ['2.01', '2.01', '2.01', '5.03', '5.03']);
    assert.equal((await history()).length, 3);
    nowMs += 2_000;
    assert.deepEqual(await times(3, measure), ['2.01', '2.01', '5.03']);
  });

  it('counts all messages of a token together, including those that an address sends without it', async () => {
    const { logger, open } = await gateway.newLogger();
    const other = await open({ serial: logger.serial });
    assert.deepEqual(await times(2, () => logger.measure()), ['2.01', '2.01']);
    assert.deepEqual(codesOf(await logger.report({ token: '' })), ['2.01']);
    assert.equal((await other.measure()).code, '5.03');
    assert.deepEqual(codesOf(await logger.report({ token: '' })), ['5.03']);
  });

  it('ignores a repeated message', async () => {
    const { logger } = await gateway.newLogger();
    const datagram = logger.frame();
    assert.deepEqual(await times(10, () => logger.exchange(datagram)), Array(10).fill('2.01'));
    assert.equal((await logger.measure()).code, '2.01');
  });

  it('allows all tokens of an organization together as much as ten of them, also with HTTP, without harm to others', async () => {
    const { org, logger, open } = await gateway.newLogger();
    const issue = async () => (await gateway.dms.issueKey(org.id, 'device')).token;
    const measureWithNext = async () => {
      const next = await open({ serial: logger.serial, token: await issue() });
      return times(3, () => next.measure());
    };
    for (let token = 0; token < 10; token++)
      assert.deepEqual(await measureWithNext(), ['2.01', '2.01', '2.01']);
    assert.deepEqual(await measureWithNext(), ['5.03', '5.03', '5.03']);
    const path = `/devices/${logger.serial}/pending-config`;
    assert.equal((await org.with(await issue()).get(path)).status, 429);
    const { logger: other } = await gateway.newLogger();
    assert.equal((await other.measure()).code, '2.01');
  });

  it('shares the limit with HTTP', async () => {
    const { org, token, logger } = await gateway.newLogger();
    await times(3, () => logger.measure());
    assert.equal((await org.with(token).get(`/devices/${logger.serial}/pending-config`)).status, 429);
  });
});
