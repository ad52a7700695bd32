/** The pace of draining a backlog. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { nextPace, type Requests, startPace } from '../../src/deliveries/endpoint-recovery.ts';

describe('The pace of a drain', () => {
  const paceAfter = (pace: number, second: Requests, paceMax = 1_000) =>
    nextPace(startPace(pace), second, paceMax).pace;

  it('doubles after a second without a failure, up to the limit', () => {
    const paces = [1];
    while (paces.length < 8) paces.push(paceAfter(paces.at(-1) as number, { sent: 1, failed: 0 }, 50));
    assert.deepEqual(paces, [1, 2, 4, 8, 16, 32, 50, 50]);
  });

  it('grows by a quarter after a second with some failures, and halves when a quarter or more failed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 50, max: 1_000 }), fc.nat(1_000), (sent, someFailed) => {
        const failed = Math.min(someFailed, sent);
        const grown = failed === 0 ? sent * 2 : sent * 1.25;
        assert.equal(paceAfter(sent, { sent, failed }, 5_000), failed * 4 >= sent ? sent / 2 : grown);
      }),
    );
  });

  it('stays between one request per second and the limit, whatever fails', () => {
    const second = fc.record({
      sent: fc.nat(1_000),
      failedShare: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(second, { maxLength: 100 }), (seconds) => {
        let drain = startPace(1);
        for (const { sent, failedShare } of seconds) {
          drain = nextPace(drain, { sent, failed: Math.floor(sent * failedShare) }, 300);
          assert.ok(drain.pace >= 1 && drain.pace <= 300, `${drain.pace}`);
        }
      }),
    );
  });

  it('catches up with 25 new deliveries a second at a receiver that fails every fifth request', () => {
    let [drain, requests, backlog, seconds] = [startPace(1), 0, 500, 0];
    for (; backlog >= Math.floor(drain.pace); seconds++) {
      const sent = Math.floor(drain.pace);
      const failed = Math.floor((requests + sent) / 5) - Math.floor(requests / 5);
      requests += sent;
      // Each failure returns as a retry.
      backlog += 25 + failed - sent;
      drain = nextPace(drain, { sent, failed }, 1_000);
      assert.ok(seconds < 60, `${backlog} are left after a minute`);
    }
  });
});
